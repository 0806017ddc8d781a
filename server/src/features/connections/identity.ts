import type { Carrier } from '../../channels/contract.ts';

/** How an environment sends email. */
export interface EmailSender {
  from: { address: string; name: string | null } | null;
  replyTo: string | null;
  senderLocked: boolean;
  /** Whether opens, and clicks on links, are counted by us. */
  track: { opens: boolean; clicks: boolean };
  /** In the order they are tried. */
  carriers: Carrier[];
  /** Why nothing can be sent; null when something can. */
  problem: string | null;
}

export interface EmailIdentity {
  from: { address: string; name: string | null };
  replyTo: string | null;
}

/**
 * Who an email comes from. The address is the sender's, always: the environment's, or the operator's with the managed relay.
 * A request may choose the display name unless the sender is locked, and where replies go. Only for a sender that has an address.
 */
export function emailIdentity(
  sender: Pick<EmailSender, 'from' | 'replyTo' | 'senderLocked'>,
  request: { from_name: string | null; reply_to: string | null },
): EmailIdentity {
  if (!sender.from) throw new Error('the sender has no address');
  const chosenName = sender.senderLocked ? null : request.from_name;
  return {
    from: { address: sender.from.address, name: chosenName || sender.from.name },
    replyTo: request.reply_to || sender.replyTo,
  };
}
