import type { SmsProviders } from '@carillon/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import { useRead, useWrite } from '../../api/queries.ts';
import { UnsavedGuard } from '../../shell/unsaved.tsx';
import { chain as text } from '../../strings/connections.ts';
import { FormError, Loaded } from '../../ui/index.ts';
import { ChainCard } from './chain-card.tsx';
import {
  type DraftProvider,
  isProviderChanged,
  providerBody,
  providerDraft,
  providerProblemOf,
} from './chain-draft.ts';
import { ConnectionsLayout } from './layout.tsx';
import { savedOf } from './provider-kinds.ts';
import { SaveBar } from './save-bar.tsx';
import { useVerdicts } from './use-verdicts.ts';

type SmsKind = SmsProviders['providers'][number]['kind'];

const settingsKey = ['sms-providers'];
/** Health covers five minutes. */
const healthEveryMs = 15_000;

export default function SmsPage() {
  const { environment } = useEnvironment();
  const query = useRead(
    settingsKey,
    (api, signal) => api.smsSettings.getProviders(environment.id, { signal }),
    { everyMs: healthEveryMs },
  );
  return (
    <ConnectionsLayout channel="sms">
      <Loaded query={query} lines={8}>
        {(saved) => <Editor key={environment.id} saved={saved} />}
      </Loaded>
    </ConnectionsLayout>
  );
}

const bodyOf = (providers: DraftProvider[]) => ({
  providers: providers.map((provider) => providerBody<SmsKind>(provider)),
});

/** Edits the chain as one draft; polling of the health does not touch it. */
function Editor({ saved }: { saved: SmsProviders }) {
  const { environment, can } = useEnvironment();
  const queries = useQueryClient();
  const { verdicts, verify, forget } = useVerdicts('sms');
  const [edited, setEdited] = useState<DraftProvider[] | null>(null);
  const before = saved.providers.map((provider) => providerDraft('sms', provider));
  const draft = edited ?? before;
  const isChanged = edited !== null && JSON.stringify(bodyOf(edited)) !== JSON.stringify(bodyOf(before));
  const save = useWrite((api) => api.smsSettings.replaceProviders(environment.id, bodyOf(draft)), {
    changes: [['overview'], ['connection-states']],
    done: text.saved,
    quiet: true,
    onDone: (after) => {
      queries.setQueryData([environment.id, ...settingsKey], after);
      setEdited(null);
      after.providers.forEach((provider, index) => {
        const wanted = draft[index];
        if (!wanted || !isProviderChanged(wanted, savedOf(saved.providers, wanted.id))) return;
        forget(provider.id);
        if (provider.enabled) verify(provider.id);
      });
    },
  });
  const problem = providerProblemOf(save.error);
  return (
    <>
      {!problem && <FormError error={save.error} />}
      <ChainCard
        channel="sms"
        providers={draft}
        savedProviders={saved.providers}
        problem={problem}
        verdicts={verdicts}
        onVerify={verify}
        onChange={(providers) => {
          save.reset();
          setEdited(providers);
        }}
        mayWrite={can('channels:write')}
      />
      {isChanged && (
        <SaveBar
          onSave={() => save.mutate()}
          isSaving={save.isPending}
          onDiscard={() => {
            save.reset();
            setEdited(null);
          }}
        />
      )}
      <UnsavedGuard when={isChanged} />
    </>
  );
}
