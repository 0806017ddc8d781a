import type { Carrier } from '../contract.ts';

/** How an environment sends email. */
export interface EmailSender {
  from: { address: string; name: string | null } | null;
  replyTo: string | null;
  senderLocked: boolean;
  /** Whether we count opens, and clicks on links. */
  track: { opens: boolean; clicks: boolean };
  /** The carriers in the order they are tried. */
  carriers: Carrier[];
  /** Why nothing can be sent; null when sending works. */
  problem: string | null;
}

interface EmailIdentity {
  from: { address: string; name: string | null };
  replyTo: string | null;
}

/**
 * The From and Reply-To of an email. The address is always the sender's: the environment's, or the operator's with the managed
 * relay. A request may choose the display name unless the sender is locked, and the reply address. Requires a sender with an
 * address.
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
