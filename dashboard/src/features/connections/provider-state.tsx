import { sms, chain as text } from '../../strings/connections.ts';
import { CopyButton, Notice, Time } from '../../ui/index.ts';
import { adviceOn } from './advice.ts';
import styles from './connections.module.css';
import { type ChainChannel, fieldsOf, type SavedProvider } from './provider-kinds.ts';
import type { Verdict } from './use-verdicts.ts';

/** The health of a provider, the next step, and its callback URL. */
export function ProviderState(props: {
  channel: ChainChannel;
  saved: SavedProvider | undefined;
  enabled: boolean;
  isAlone: boolean;
  pausedUntil: string | null;
  verdict: Verdict | undefined;
}) {
  const { channel, saved, enabled, isAlone, pausedUntil } = props;
  if (!saved) return null;
  const verdict = props.verdict ?? lastCheckOf(saved);
  return (
    <div className={styles.state}>
      {verdict && verdict !== 'asking' && <VerdictNotice verdict={verdict} />}
      {enabled && pausedUntil && (
        <Notice tone="amber">
          {text.health.paused} <Time at={pausedUntil} />.
        </Notice>
      )}
      {enabled && <Health saved={saved} isAlone={isAlone} />}
      {saved.callback_url && <Callback channel={channel} saved={saved} url={saved.callback_url} />}
    </div>
  );
}

/** The check before this visit, where the service keeps it; null when there was none. */
function lastCheckOf({ credentials_validated: ok = false, credentials_detail: detail = '' }: SavedProvider) {
  return detail === '' ? null : { ok, detail };
}

function VerdictNotice({ verdict }: { verdict: Exclude<Verdict, 'asking'> }) {
  if (verdict.ok) {
    return (
      <Notice tone="green">
        <span role="status">
          <strong>{text.verified}</strong> {verdict.detail}
        </span>
      </Notice>
    );
  }
  return (
    <Notice tone="red">
      <strong>{text.refused}</strong> {adviceOn(verdict.detail)}
      <div className={styles.answer}>{verdict.detail}</div>
    </Notice>
  );
}

function Health({ saved, isAlone }: { saved: SavedProvider; isAlone: boolean }) {
  const { status, messages, failed_messages: failed, since } = saved.health;
  if (status === 'healthy') {
    return <p className={styles.small}>{messages > 0 ? text.health.recent(messages) : text.health.quiet}</p>;
  }
  return (
    <Notice tone={status === 'outage' ? 'red' : 'amber'}>
      {messages === 0 ? text.health.idle : text.health[status](failed, messages)}{' '}
      {isAlone && text.health.alone}
      {since && (
        <div className={styles.answer}>
          {text.health.since} <Time at={since} />
        </div>
      )}
    </Notice>
  );
}

function Callback(props: { channel: ChainChannel; saved: SavedProvider; url: string }) {
  const { channel, saved, url } = props;
  const { kind, config } = saved;
  const isReady = fieldsOf(channel, kind).every(({ callback, name }) => !callback || config[name]);
  return (
    <details className={styles.callback}>
      <summary>{text.callback}</summary>
      <div className={styles.url}>
        <code>{url}</code>
        <CopyButton text={url} />
      </div>
      <p className={styles.small}>
        {text.callbackHints[kind] ?? (channel === 'sms' && sms.callbackHint)}{' '}
        {!isReady && text.callbackMissing}
      </p>
    </details>
  );
}
