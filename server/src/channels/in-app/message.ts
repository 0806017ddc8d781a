import type { MessageEnvelope } from '../envelope.ts';

export interface InAppMessage extends MessageEnvelope {
  channel: 'in_app';
  subject: string | null;
  /** Sanitised. */
  html: string | null;
  text: string | null;
  actionUrl: string | null;
  data: Record<string, unknown>;
}
