/** The content and the target in the terms of the service; the credentials are the carrier's. */
export interface ChatthreeMessage {
  channel: 'chatthree';
  notificationId: string;
  environmentId: string;
  attempt: number;
  /** The key of an endpoint. */
  to: { address: string; name: string | null };
  content: string | null;
  /** One embed, a list of them, or null. */
  embeds: unknown;
  username: string | null;
  avatarUrl: string | null;
}
