/** The content and the target in the terms of the service; the credentials are the carrier's. */
export interface ChatoneMessage {
  channel: 'chatone';
  notificationId: string;
  environmentId: string;
  attempt: number;
  /** The id of a user or of a conversation. */
  to: { address: string; name: string | null };
  blocks: unknown;
  /** The fallback text where blocks cannot be shown. */
  text: string;
}
