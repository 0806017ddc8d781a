import type { Client, RequestOptions } from '@carillon/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import { useRead, useWrite } from '../../api/queries.ts';
import { UnsavedGuard } from '../../shell/unsaved.tsx';
import { chain as text } from '../../strings/connections.ts';
import { FormError, Loaded } from '../../ui/index.ts';
import { ChainCard } from './chain-card.tsx';
import { type DraftProvider, isProviderChanged, providerProblemOf } from './chain-draft.ts';
import { ConnectionsLayout } from './layout.tsx';
import { type ChainChannel, type SavedProvider, savedOf } from './provider-kinds.ts';
import { SaveBar } from './save-bar.tsx';
import { useVerdicts } from './use-verdicts.ts';

/** Health covers five minutes. */
const healthEveryMs = 15_000;

interface Chain<Saved, Draft, Body> {
  channel: ChainChannel;
  read(api: Client, environmentId: string, options: RequestOptions): Promise<Saved>;
  replace(api: Client, environmentId: string, body: Body): Promise<Saved>;
  draftOf(saved: Saved): Draft;
  bodyOf(draft: Draft): Body;
  /** What the channel has besides its providers. */
  others?(form: Form<Saved, Draft>): ReactNode;
  /** The request fields whose errors `others` shows. */
  otherFields?: readonly string[];
}

interface Form<Saved, Draft> {
  saved: Saved;
  draft: Draft;
  change(changes: Partial<Draft>): void;
  error: unknown;
  mayWrite: boolean;
}

interface HasProviders<Provider> {
  providers: Provider[];
}

/** The page of a channel with a chain of providers. */
export function ChainPage<
  Saved extends HasProviders<SavedProvider>,
  Draft extends HasProviders<DraftProvider>,
  Body,
>(chain: Chain<Saved, Draft, Body>) {
  const { environment } = useEnvironment();
  const query = useRead(keyOf(chain.channel), (api, signal) => chain.read(api, environment.id, { signal }), {
    everyMs: healthEveryMs,
  });
  return (
    <ConnectionsLayout channel={chain.channel}>
      <Loaded query={query} lines={10}>
        {(saved) => <Editor key={environment.id} chain={chain} saved={saved} />}
      </Loaded>
    </ConnectionsLayout>
  );
}

const keyOf = (channel: ChainChannel): string[] => ['chain', channel];

/**
 * Edits all settings as one draft; polling of the health does not touch it. The key of the environment remounts the
 * editor, so that a draft of Test can never be saved to Live.
 */
function Editor<Saved extends HasProviders<SavedProvider>, Draft extends HasProviders<DraftProvider>, Body>({
  chain,
  saved,
}: {
  chain: Chain<Saved, Draft, Body>;
  saved: Saved;
}) {
  const { channel, draftOf, bodyOf, others, otherFields = [] } = chain;
  const { environment, can } = useEnvironment();
  const queries = useQueryClient();
  const { verdicts, verify, forget } = useVerdicts(channel);
  const [edited, setEdited] = useState<Draft | null>(null);
  const before = draftOf(saved);
  const draft = edited ?? before;
  const isChanged = edited !== null && JSON.stringify(bodyOf(edited)) !== JSON.stringify(bodyOf(before));
  const save = useWrite((api) => chain.replace(api, environment.id, bodyOf(draft)), {
    changes: [['overview'], ['connection-states']],
    done: text.saved,
    quiet: true,
    onDone: (after) => {
      queries.setQueryData([environment.id, ...keyOf(channel)], after);
      setEdited(null);
      after.providers.forEach((provider, index) => {
        const wanted = draft.providers[index];
        if (!wanted || !isProviderChanged(wanted, savedOf(saved.providers, wanted.id))) return;
        forget(provider.id);
        if (provider.enabled) verify(provider.id);
      });
    },
  });
  const change = (changes: Partial<Draft>) => {
    save.reset();
    setEdited({ ...draft, ...changes });
  };
  const mayWrite = can('channels:write');
  const problem = providerProblemOf(save.error);
  return (
    <>
      {!problem && <FormError error={save.error} besides={otherFields} />}
      <ChainCard
        channel={channel}
        providers={draft.providers}
        savedProviders={saved.providers}
        problem={problem}
        verdicts={verdicts}
        onVerify={verify}
        onChange={(providers) => change({ providers } as Partial<Draft>)}
        mayWrite={mayWrite}
      />
      {others?.({ saved, draft, change, error: save.error, mayWrite })}
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
