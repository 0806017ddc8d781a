import type { MessageEnvelope } from '../envelope.ts';

/** The content and the target in the terms of the service; the credentials are the carrier's. */
export interface ChatoneMessage extends MessageEnvelope {
  channel: 'chatone';
  blocks: unknown;
  /** The fallback text where blocks cannot be shown. */
  text: string;
}
