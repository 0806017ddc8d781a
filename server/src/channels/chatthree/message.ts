import type { MessageEnvelope } from '../envelope.ts';

/** The content and the target in the terms of the service; the credentials are the carrier's. */
export interface ChatthreeMessage extends MessageEnvelope {
  channel: 'chatthree';
  content: string | null;
  /** One embed, a list of them, or null. */
  embeds: unknown;
  username: string | null;
  avatarUrl: string | null;
}
