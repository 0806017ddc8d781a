/** The content and the target in the terms of the service; the credentials are the carrier's. */
export interface ChattwoMessage {
  channel: 'chattwo';
  notificationId: string;
  environmentId: string;
  attempt: number;
  /** The key of an endpoint. */
  to: { address: string; name: string | null };
  card: unknown;
}
