import type { Notification, Trace, TraceEntry } from '@carillon/sdk';
import { Link } from '@tanstack/react-router';
import { useEnvironment } from '../../api/environment.tsx';
import { common } from '../../strings/common.ts';
import { notifications } from '../../strings/notifications.ts';
import { Card, Copyable, duration, type IconName, Loaded } from '../../ui/index.ts';
import { plain } from './plain.ts';
import styles from './why.module.css';
import { OutcomeStep, SuppressionState } from './why-outcome.tsx';
import { WhyStep } from './why-step.tsx';

const text = notifications.why;

/** The checks and provider attempts behind the outcome; passed checks share one line. */
export function Why(props: {
  notification: Notification;
  trace: { data: Trace | undefined; error: unknown; refetch(): unknown };
}) {
  const { notification, trace } = props;
  return (
    <Card title={text.titles[notification.status] ?? text.title}>
      <Loaded query={trace}>
        {({ entries }) =>
          entries.length === 0 ? (
            <p>{text.nothing}</p>
          ) : (
            <ol className={styles.steps}>
              {grouped(entries).map((step) => (
                <Step key={step.key} step={step} notification={notification} />
              ))}
              <OutcomeStep notification={notification} />
            </ol>
          )
        }
      </Loaded>
    </Card>
  );
}

type Grouped =
  | { kind: 'passed'; key: string; entries: TraceEntry[] }
  | { kind: 'single'; key: string; entry: TraceEntry; attempt: number };

/** Merges consecutive passed checks into one step, and counts attempts. */
function grouped(entries: TraceEntry[]): Grouped[] {
  const steps: Grouped[] = [];
  let attempt = 0;
  for (const [index, entry] of entries.entries()) {
    const last = steps.at(-1);
    if (entry.kind === 'gate' && entry.verdict === 'pass') {
      if (last?.kind === 'passed') last.entries.push(entry);
      else steps.push({ kind: 'passed', key: String(index), entries: [entry] });
    } else {
      if (entry.kind === 'attempt') attempt += 1;
      steps.push({ kind: 'single', key: String(index), entry, attempt });
    }
  }
  return steps;
}

function Step({ step, notification }: { step: Grouped; notification: Notification }) {
  if (step.kind === 'passed') {
    return (
      <WhyStep icon="check" tone="green" at={step.entries[0]?.at}>
        <strong>{text.checks(step.entries.length)}</strong>
        <p className={styles.quiet}>
          {step.entries.map(({ name }) => text.passed[name] ?? name).join(text.between)}
        </p>
      </WhyStep>
    );
  }
  const { entry, attempt } = step;
  if (entry.kind === 'attempt') return <Attempt entry={entry} number={attempt} />;
  const isGate = entry.kind === 'gate';
  const name = (isGate ? text.gates : text.decisions)[entry.name] ?? entry.name;
  return (
    <WhyStep
      icon={gateIcons[entry.verdict] ?? 'info'}
      tone={gateTones[entry.verdict] ?? 'blue'}
      at={entry.at}
    >
      <strong>{name}</strong>
      {isGate && <span>{text.said([text.verdictWords[entry.verdict] ?? entry.verdict])}</span>}
      {entry.detail && <p>{plain(entry.detail)}</p>}
      <WayOut entry={entry} notification={notification} />
    </WhyStep>
  );
}

const gateIcons: Record<string, IconName> = {
  suppress: 'suppressions',
  defer: 'clock',
  hold: 'pause',
  drop: 'stop',
  fail: 'warning',
  not_called: 'warning',
};
const gateTones: Record<string, string> = {
  suppress: 'red',
  defer: 'blue',
  hold: 'amber',
  drop: 'grey',
  fail: 'red',
  not_called: 'red',
};

function Attempt({ entry, number }: { entry: TraceEntry; number: number }) {
  const isGood = entry.verdict === 'accepted';
  const { kind } = useEnvironment();
  return (
    <WhyStep icon={isGood ? 'check' : 'close'} tone={isGood ? 'green' : 'red'} at={entry.at}>
      <strong>{text.attempt(number, common.provider(entry.name))}</strong>
      <span>
        {text.said([
          text.outcomes[entry.verdict] ?? entry.verdict,
          ...(entry.latency_ms === null ? [] : [duration(entry.latency_ms)]),
          ...(entry.code === null ? [] : [text.code(entry.code)]),
        ])}
      </span>
      {entry.detail && <p className={isGood ? styles.quiet : undefined}>{plain(entry.detail)}</p>}
      {entry.provider_message_id && (
        <div className={styles.quiet}>
          {text.requestId} <Copyable text={entry.provider_message_id} />
        </div>
      )}
      {entry.verdict === 'broken' && <Link to={`/${kind}/connections`}>{text.toConnections}</Link>}
    </WhyStep>
  );
}

/** A link to where the reason can be resolved. */
function WayOut({ entry, notification }: { entry: TraceEntry; notification: Notification }) {
  const { kind } = useEnvironment();
  const { channel, recipient } = notification;
  const isStopped = entry.verdict !== 'pass';
  if (entry.name === 'suppression_list' && isStopped) return <SuppressionState notification={notification} />;
  if (entry.name === 'category_preference' && isStopped) {
    const user =
      channel === 'in_app' && recipient.address ? `/users/${encodeURIComponent(recipient.address)}` : '';
    return (
      <p>
        {text.next.optedOut} <Link to={`/${kind}/preferences${user}`}>{text.toPreferences}</Link>
      </p>
    );
  }
  if (entry.name === 'connection') return <Link to={`/${kind}/connections`}>{text.toConnections}</Link>;
  if (entry.name === 'render' && notification.template_key) {
    return (
      <Link to={`/${kind}/templates/${encodeURIComponent(notification.template_key)}`}>
        {text.toTemplate}
      </Link>
    );
  }
  return null;
}
