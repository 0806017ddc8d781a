/** The part that the messages of all channels share. */
export interface MessageEnvelope {
  notificationId: string;
  environmentId: string;
  /** The number of this attempt at a provider, from 1, counted over all rounds. */
  attempt: number;
  to: {
    /** An email address, a number, a user id, a URL, an endpoint key, a conversation. */
    address: string;
    name: string | null;
  };
}
