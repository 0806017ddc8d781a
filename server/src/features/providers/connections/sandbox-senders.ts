import type { Carrier } from '../../../channels/contract.ts';
import type { SendersFor } from '../../../channels/delivery-plan.ts';
import type { EmailSender } from '../../../channels/email/plan.ts';
import type { SmsSender } from '../../../channels/sms/plan.ts';
import type { Deps } from '../../../deps.ts';
import { storedSender } from './email/senders.ts';
import { listVersionedSettings, noSettings } from './email/store.ts';
import { createSenderCache } from './sender-cache.ts';
import { listVersionedSmsSettings } from './sms/store.ts';

/** The senders of Test environments: what their settings say about the sender holds, and the sandbox replaces their providers. */

/** The senders that the sandbox shows while the settings have none. */
const defaultAddress = 'no-reply@sandbox.test';
const defaultNumber = '+15005550000';

type SenderDeps = Pick<Deps, 'pool' | 'clock'> & { sandbox: Carrier };

export function createSandboxEmailSenders({ pool, clock, sandbox }: SenderDeps): SendersFor<EmailSender> {
  return createSenderCache({
    read: (environmentIds) => listVersionedSettings(pool, environmentIds),
    make(_environmentId, settings): EmailSender {
      const stored = settings ?? noSettings;
      const from_address = stored.from_address ?? defaultAddress;
      return { ...storedSender({ ...stored, from_address }), carriers: [sandbox], problem: null };
    },
    clock,
  });
}

/** The sender is that of the first enabled provider. */
export function createSandboxSmsSenders({ pool, clock, sandbox }: SenderDeps): SendersFor<SmsSender> {
  return createSenderCache({
    read: (environmentIds) => listVersionedSmsSettings(pool, environmentIds),
    make(_environmentId, settings): SmsSender {
      const first = settings?.providers.find(({ enabled }) => enabled);
      const fromSenderId = first?.from_sender_id ?? null;
      const fromNumber = first?.from_number ?? (fromSenderId ? null : defaultNumber);
      return { chain: [{ carrier: sandbox, fromNumber, fromSenderId }], problem: null };
    },
    clock,
  });
}
