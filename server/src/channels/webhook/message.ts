export interface WebhookMessage {
  channel: 'webhook';
  notificationId: string;
  environmentId: string;
  attempt: number;
  /** The URL. */
  to: { address: string; name: string | null };
  /** The body is posted unchanged. */
  body: string;
  /** Each secret signs; the newest first. */
  secrets: string[];
  timeoutMs: number;
}
