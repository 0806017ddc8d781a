import { useState } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import { email as text } from '../../strings/connections.ts';
import { Button, Card, EmptyState, useToast } from '../../ui/index.ts';
import styles from './connections.module.css';
import { type DraftProvider, isProviderChanged, moved, type ProviderProblem } from './email-draft.ts';
import { kindName, type SavedProvider, savedOf } from './email-kinds.ts';
import { ProviderDialog } from './provider-dialog.tsx';
import { ProviderRow } from './provider-row.tsx';
import { useDragOrder } from './use-drag-order.ts';
import { useProviderStates } from './use-provider-states.ts';
import type { Verdict } from './use-verdicts.ts';

/** The limit of the service. */
const maxProviders = 10;

export function ChainCard(props: {
  providers: DraftProvider[];
  savedProviders: SavedProvider[];
  problem: ProviderProblem | null;
  verdicts: Readonly<Record<string, Verdict>>;
  onVerify(id: string): void;
  onChange(providers: DraftProvider[]): void;
  mayWrite: boolean;
}) {
  const { providers, savedProviders, problem, verdicts, onVerify, onChange, mayWrite } = props;
  const toast = useToast();
  const states = useProviderStates();
  const [edited, setEdited] = useState<DraftProvider | 'new' | null>(null);
  const [said, setSaid] = useState('');
  const nameOf = (provider: DraftProvider) => provider.name || kindName(provider.kind);
  const move = (from: number, to: number) => {
    const provider = providers[from];
    if (!provider || to < 0 || to >= providers.length) return;
    onChange(moved(providers, from, to));
    setSaid(text.moved(nameOf(provider), to + 1, providers.length));
  };
  const order = useDragOrder(move);
  const isAlone = providers.filter(({ enabled }) => enabled).length === 1;
  // The form of a provider that the service rejected opens with the error beside its field.
  const [seen, setSeen] = useState(problem);
  if (problem?.message !== seen?.message || problem?.index !== seen?.index) {
    setSeen(problem);
    const faulty = problem && providers[problem.index];
    if (faulty) setEdited(faulty);
  }
  const problemOf = (provider: DraftProvider | 'new') =>
    problem && provider !== 'new' && providers[problem.index]?.key === provider.key ? problem : null;

  return (
    <Card
      title={text.chain}
      flush
      actions={
        mayWrite && (
          <Button
            size="small"
            icon="plus"
            disabled={providers.length >= maxProviders}
            onClick={() => setEdited('new')}
          >
            {text.add}
          </Button>
        )
      }
    >
      {providers.length === 0 ? (
        <EmptyChain hasManaged={states.hasManaged} />
      ) : (
        <div>
          <p className={styles.chainHint}>{text.chainHint}</p>
          <ol ref={order.list} className={styles.chain} aria-label={text.chainLabel}>
            {providers.map((provider, index) => (
              <ProviderRow
                key={provider.key}
                provider={provider}
                place={{ index, count: providers.length, isAlone }}
                saved={savedOf(savedProviders, provider.id)}
                isChanged={isProviderChanged(provider, savedOf(savedProviders, provider.id))}
                pausedUntil={states.pausedUntil(provider.id)}
                verdict={verdicts[provider.id ?? '']}
                problem={problemOf(provider)}
                order={order}
                mayWrite={mayWrite}
                onMove={(to) => move(index, to)}
                onVerify={() => provider.id && onVerify(provider.id)}
                onEnable={(enabled) => onChange(providers.with(index, { ...provider, enabled }))}
                onEdit={() => setEdited(provider)}
                onRemove={() => {
                  onChange(providers.toSpliced(index, 1));
                  toast.say(text.removedNote);
                }}
              />
            ))}
          </ol>
        </div>
      )}
      <div className="visually-hidden" role="status" aria-live="assertive">
        {said}
      </div>
      {edited && (
        <ProviderDialog
          provider={edited === 'new' ? null : edited}
          saved={edited === 'new' ? undefined : savedOf(savedProviders, edited.id)}
          problem={problemOf(edited)}
          onClose={() => setEdited(null)}
          onApply={(provider) => {
            setEdited(null);
            const index = providers.findIndex(({ key }) => key === provider.key);
            onChange(index < 0 ? [...providers, provider] : providers.with(index, provider));
          }}
        />
      )}
    </Card>
  );
}

function EmptyChain({ hasManaged }: { hasManaged: boolean }) {
  const { kind } = useEnvironment();
  if (kind === 'test')
    return (
      <EmptyState title={text.empty.test} icon="sandbox">
        {text.empty.testText}
      </EmptyState>
    );
  return hasManaged ? (
    <EmptyState title={text.empty.managed} icon="email">
      {text.empty.managedText}
    </EmptyState>
  ) : (
    <EmptyState title={text.empty.live} icon="warning">
      {text.empty.liveText}
    </EmptyState>
  );
}
