export interface InAppMessage {
  channel: 'in_app';
  notificationId: string;
  environmentId: string;
  attempt: number;
  /** The user who owns the inbox. */
  to: { address: string; name: string | null };
  subject: string | null;
  /** Sanitised. */
  html: string | null;
  text: string | null;
  actionUrl: string | null;
  data: Record<string, unknown>;
}
