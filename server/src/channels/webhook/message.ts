import type { MessageEnvelope } from '../envelope.ts';

export interface WebhookMessage extends MessageEnvelope {
  channel: 'webhook';
  /** The body is posted unchanged. */
  body: string;
  /** Each secret signs; the newest first. */
  secrets: string[];
  /** The chain of workflow runs that led to the message. */
  chain: string | null;
  timeoutMs: number;
}
