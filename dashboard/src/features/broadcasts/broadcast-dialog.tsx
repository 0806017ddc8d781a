import type { Broadcast, BroadcastDryRun } from '@carillon/sdk';
import { useState } from 'react';
import { useWrite } from '../../api/queries.ts';
import { broadcasts } from '../../strings/broadcasts.ts';
import { Button, Checkbox, FormDialog, formatCount, Notice, Pairs, Stack } from '../../ui/index.ts';
import { BroadcastForm } from './broadcast-form.tsx';
import styles from './broadcasts.module.css';
import { type BroadcastDraft, definitionOf, emptyDraft, isWrong } from './definition.ts';

const text = broadcasts.dryRun;

/** Two steps: the form, then the dry run with the button that starts the broadcast. Mounted while open. */
export function BroadcastDialog(props: {
  topic: string;
  onClose(): void;
  onStarted(broadcast: Broadcast): void;
}) {
  const { topic, onClose, onStarted } = props;
  const [draft, setDraft] = useState<BroadcastDraft>(() => emptyDraft(topic));
  const [result, setResult] = useState<BroadcastDryRun | null>(null);
  const [isConfirmed, setConfirmed] = useState(false);
  const dryRun = useWrite((api) => api.broadcasts.dryRun(definitionOf(draft, false)), {
    quiet: true,
    onDone(done) {
      setConfirmed(false);
      setResult(done);
    },
  });
  const needsConfirmation = result?.is_everybody === true && draft.audience !== 'topic';
  const [attempt] = useState(() => crypto.randomUUID());
  const start = useWrite(
    // The key keeps a second click, or a lost answer, from starting a second broadcast.
    (api) =>
      api.broadcasts.create(definitionOf(draft, needsConfirmation), {
        idempotency_key: `dashboard-${attempt}`,
      }),
    { changes: [['broadcasts']], done: text.started, quiet: true, onDone: onStarted },
  );
  if (!result)
    return (
      <FormDialog
        onClose={onClose}
        title={broadcasts.form.title}
        wide
        invalid={isWrong(draft)}
        onSubmit={() => dryRun.mutate()}
        submit={broadcasts.form.check}
        busy={dryRun.isPending}
        error={dryRun.error}
      >
        <BroadcastForm draft={draft} onChange={(change) => setDraft({ ...draft, ...change })} />
      </FormDialog>
    );
  return (
    <FormDialog
      onClose={onClose}
      title={text.title}
      wide
      variant="start"
      onSubmit={() => start.mutate()}
      submit={text.start(result.count)}
      icon="send"
      disabled={result.count === 0 || (needsConfirmation && !isConfirmed)}
      busy={start.isPending}
      error={start.error}
      actions={<Button onClick={() => setResult(null)}>{text.back}</Button>}
    >
      {needsConfirmation && (
        <Notice tone="amber">
          <Stack>
            <span>{text.everybody}</span>
            <Checkbox
              label={text.confirmEverybody}
              checked={isConfirmed}
              onChange={(event) => setConfirmed(event.target.checked)}
            />
          </Stack>
        </Notice>
      )}
      <DryRun result={result} />
    </FormDialog>
  );
}

function DryRun({ result }: { result: BroadcastDryRun }) {
  const { count, checked, would_send, skipped, suppressed, delayed, held, samples } = result;
  const reasons = (counts: Record<string, number>) =>
    Object.entries(counts).map(
      ([reason, value]) => [text.reasons[reason] ?? reason, formatCount(value)] as const,
    );
  return (
    <>
      <Pairs
        pairs={[
          [text.audience, result.is_capped ? text.atLeast(count) : formatCount(count)],
          [
            text.wouldSend,
            checked < count ? `${formatCount(would_send)} ${text.sampled(checked)}` : formatCount(would_send),
          ],
          skipped > 0 && [text.skipped, formatCount(skipped)],
          ...reasons(suppressed),
          ...reasons(delayed),
          ...Object.entries(held).map(([hold, value]) => [text.heldBy(hold), formatCount(value)] as const),
        ]}
      />
      <strong>{text.samples}</strong>
      {samples.length === 0 && <p>{text.noSamples}</p>}
      {samples.map((sample) => (
        <div key={sample.external_user_id} className={styles.sample}>
          <div className={styles.small}>{text.to(sample.address)}</div>
          {sample.error === null ? (
            <>
              {sample.subject && <strong>{sample.subject}</strong>}
              <div>{(sample.text_body ?? sample.html_body ?? '').slice(0, 300)}</div>
              {sample.undefined_variables.length > 0 && (
                <Notice tone="amber">{text.undefinedVariables(sample.undefined_variables)}</Notice>
              )}
            </>
          ) : (
            <Notice tone="red">{sample.error}</Notice>
          )}
        </div>
      ))}
    </>
  );
}
