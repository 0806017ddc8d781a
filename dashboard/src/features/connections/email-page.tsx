import type { GetEmailSettingsResult } from '@carillon/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import { useRead, useWrite } from '../../api/queries.ts';
import { UnsavedGuard } from '../../shell/unsaved.tsx';
import { chain as text } from '../../strings/connections.ts';
import { FormError, Loaded } from '../../ui/index.ts';
import { ChainCard } from './chain-card.tsx';
import { isProviderChanged, providerProblemOf } from './chain-draft.ts';
import { bodyOf, draftOf, type EmailDraft, isSameDraft, managedFromOf } from './email-draft.ts';
import { ConnectionsLayout } from './layout.tsx';
import { savedOf } from './provider-kinds.ts';
import { SaveBar } from './save-bar.tsx';
import { SenderCard, senderFields } from './sender-card.tsx';
import { useVerdicts } from './use-verdicts.ts';

const settingsKey = ['email-settings'];
/** Health covers five minutes. */
const healthEveryMs = 15_000;

export default function EmailPage() {
  const { environment } = useEnvironment();
  const query = useRead(settingsKey, (api, signal) => api.emailSettings.get(environment.id, { signal }), {
    everyMs: healthEveryMs,
  });
  return (
    <ConnectionsLayout channel="email">
      <Loaded query={query} lines={10}>
        {(saved) => <Editor key={environment.id} saved={saved} />}
      </Loaded>
    </ConnectionsLayout>
  );
}

/**
 * Edits all settings as one draft; polling of the health does not touch it. The key of the environment remounts the
 * editor, so that a draft of Test can never be saved to Live.
 */
function Editor({ saved }: { saved: GetEmailSettingsResult }) {
  const { environment, can } = useEnvironment();
  const queries = useQueryClient();
  const { verdicts, verify, forget } = useVerdicts('email');
  const [edited, setEdited] = useState<EmailDraft | null>(null);
  const before = draftOf(saved);
  const draft = edited ?? before;
  const isChanged = edited !== null && !isSameDraft(edited, before);
  const save = useWrite((api) => api.emailSettings.replace(environment.id, bodyOf(draft)), {
    changes: [['overview'], ['connection-states']],
    done: text.saved,
    quiet: true,
    onDone: (after) => {
      queries.setQueryData([environment.id, ...settingsKey], after);
      setEdited(null);
      after.providers.forEach((provider, index) => {
        const wanted = draft.providers[index];
        if (!wanted || !isProviderChanged(wanted, savedOf(saved.providers, wanted.id))) return;
        forget(provider.id);
        if (provider.enabled) verify(provider.id);
      });
    },
  });
  const change = (changes: Partial<EmailDraft>) => {
    save.reset();
    setEdited({ ...draft, ...changes });
  };
  const mayWrite = can('channels:write');
  const problem = providerProblemOf(save.error);
  return (
    <>
      {!problem && <FormError error={save.error} besides={senderFields} />}
      <ChainCard
        channel="email"
        providers={draft.providers}
        savedProviders={saved.providers}
        problem={problem}
        verdicts={verdicts}
        onVerify={verify}
        onChange={(providers) => change({ providers })}
        mayWrite={mayWrite}
      />
      <SenderCard
        draft={draft}
        managedFrom={managedFromOf(draft, saved)}
        onChange={change}
        error={save.error}
        mayWrite={mayWrite}
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
