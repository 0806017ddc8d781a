import type { SmsProviders } from '@carillon/sdk';
import { type DraftProvider, providerBody, providerDraft } from './chain-draft.ts';
import { ChainPage } from './chain-page.tsx';

type SmsKind = SmsProviders['providers'][number]['kind'];

export default function SmsPage() {
  return (
    <ChainPage
      channel="sms"
      read={(api, environmentId, options) => api.smsSettings.getProviders(environmentId, options)}
      replace={(api, environmentId, body) => api.smsSettings.replaceProviders(environmentId, body)}
      draftOf={({ providers }: SmsProviders) => ({
        providers: providers.map((provider) => providerDraft('sms', provider)),
      })}
      bodyOf={({ providers }: { providers: DraftProvider[] }) => ({
        providers: providers.map((provider) => providerBody<SmsKind>(provider)),
      })}
    />
  );
}
