import { chatoneSpec } from './chatone/spec.ts';
import { chatthreeSpec } from './chatthree/spec.ts';
import { chattwoSpec } from './chattwo/spec.ts';
import type { Channel } from './contract.ts';
import { emailSpec } from './email/spec.ts';
import { inAppSpec } from './in-app/spec.ts';
import { smsSpec } from './sms/spec.ts';
import type { ChannelSpec } from './spec.ts';
import { webhookSpec } from './webhook/spec.ts';

/** Table: channel → everything that is particular to it. A new channel is a folder, a line here and in template-rules.ts. */
export const channelSpecs: Readonly<Record<Channel, ChannelSpec>> = {
  email: emailSpec,
  in_app: inAppSpec,
  webhook: webhookSpec,
  sms: smsSpec,
  chatone: chatoneSpec,
  chattwo: chattwoSpec,
  chatthree: chatthreeSpec,
};

/** The normal form of the address that a notification goes to; null when that is no address of a person. */
export function addressKeyOn(channel: Channel, address: string | null): string | null {
  return address === null ? null : (channelSpecs[channel].recipient.addressKey?.(address) ?? null);
}
