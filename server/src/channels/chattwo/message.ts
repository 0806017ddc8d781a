import type { MessageEnvelope } from '../envelope.ts';

/** The content and the target in the terms of the service; the credentials are the carrier's. */
export interface ChattwoMessage extends MessageEnvelope {
  channel: 'chattwo';
  card: unknown;
}
