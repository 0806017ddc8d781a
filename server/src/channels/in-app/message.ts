import type { MessageEnvelope } from '../envelope.ts';
import type { InboxAction } from './extras.ts';

export interface InAppMessage extends MessageEnvelope {
  channel: 'in_app';
  subject: string | null;
  /** Sanitised. */
  html: string | null;
  text: string | null;
  actionUrl: string | null;
  data: Record<string, unknown>;
  tags: string[];
  actions: InboxAction[];
}
