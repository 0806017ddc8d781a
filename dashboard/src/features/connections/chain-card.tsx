import { useState } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import { email, sms, chain as text } from '../../strings/connections.ts';
import { Button, Card, EmptyState, useToast } from '../../ui/index.ts';
import { type DraftProvider, isProviderChanged, moved, type ProviderProblem } from './chain-draft.ts';
import styles from './connections.module.css';
import { ProviderDialog } from './provider-dialog.tsx';
import { type ChainChannel, kindName, type SavedProvider, savedOf } from './provider-kinds.ts';
import { ProviderRow } from './provider-row.tsx';
import { useDragOrder } from './use-drag-order.ts';
import { useProviderStates } from './use-provider-states.ts';
import type { Verdict } from './use-verdicts.ts';

/** The limit of the service. */
const maxProviders = 10;

export function ChainCard(props: {
  channel: ChainChannel;
  providers: DraftProvider[];
  savedProviders: SavedProvider[];
  problem: ProviderProblem | null;
  verdicts: Readonly<Record<string, Verdict>>;
  onVerify(id: string): void;
  onChange(providers: DraftProvider[]): void;
  mayWrite: boolean;
}) {
  const { channel, providers, savedProviders, problem, verdicts, onVerify, onChange, mayWrite } = props;
  const toast = useToast();
  const states = useProviderStates(channel);
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
      title={text.title}
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
        <EmptyChain channel={channel} hasManaged={states.hasManaged} />
      ) : (
        <div>
          <p className={styles.chainHint}>{{ email, sms }[channel].chainHint}</p>
          <ol ref={order.list} className={styles.chain} aria-label={text.label}>
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
          channel={channel}
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

function EmptyChain({ channel, hasManaged }: { channel: ChainChannel; hasManaged: boolean }) {
  const { kind } = useEnvironment();
  const { empty } = { email, sms }[channel];
  if (kind === 'test')
    return (
      <EmptyState title={empty.test} icon="sandbox">
        {empty.testText}
      </EmptyState>
    );
  return hasManaged ? (
    <EmptyState title={email.empty.managed} icon="email">
      {email.empty.managedText}
    </EmptyState>
  ) : (
    <EmptyState title={empty.live} icon="warning">
      {empty.liveText}
    </EmptyState>
  );
}
