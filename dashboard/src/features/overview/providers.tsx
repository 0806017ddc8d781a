import type { Overview, OverviewProvider } from '@carillon/sdk';
import { Link } from '@tanstack/react-router';
import { useEnvironment } from '../../api/environment.tsx';
import { common } from '../../strings/common.ts';
import { overview as text } from '../../strings/overview.ts';
import { push } from '../../strings/push.ts';
import { Card, ChannelLabel, EmptyState, LinkButton, StatusBadge, Time } from '../../ui/index.ts';
import styles from './overview.module.css';

/** The pages of connections that are not called like their channel. */
const pages: Record<string, string> = { email: '', in_app: '/push' };

export function Providers({ providers }: { providers: Overview['providers'] }) {
  const { kind } = useEnvironment();
  const pageOf = (channel: string) => `/${kind}/connections${pages[channel] ?? `/${channel}`}`;
  return (
    <Card title={text.providers.title} flush>
      {providers.length === 0 ? (
        <NoProviders />
      ) : (
        <ul className={styles.rows} aria-label={text.providers.label}>
          {providers.map((provider) => (
            <li key={`${provider.channel} ${provider.id}`}>
              <Link to={pageOf(provider.channel)} className={styles.row}>
                <span className={styles.main}>
                  <bdi className={styles.name}>{nameOf(provider)}</bdi>
                  <span className={styles.small}>
                    <ChannelLabel channel={provider.channel} />
                    <Lately provider={provider} />
                  </span>
                </span>
                <StatusBadge status={provider.status} />
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function nameOf({ name, kind }: OverviewProvider): string {
  const services: Record<string, string> = push.names;
  return services[kind] ?? common.provider(name || kind);
}

function NoProviders() {
  const { kind } = useEnvironment();
  return kind === 'test' ? (
    <EmptyState
      title={text.providers.sandbox}
      icon="sandbox"
      action={<LinkButton to={`/${kind}/sandbox`}>{text.providers.toSandbox}</LinkButton>}
    >
      {text.providers.sandboxHint}
    </EmptyState>
  ) : (
    <EmptyState
      title={text.providers.none}
      icon="connections"
      action={<LinkButton to={`/${kind}/connections`}>{text.providers.toConnections}</LinkButton>}
    >
      {text.providers.noneHint}
    </EmptyState>
  );
}

/** The most important fact, the worst first. */
function Lately({ provider }: { provider: OverviewProvider }) {
  const { channel, problem, paused_until, messages, failed_messages, since, last_success_at } = provider;
  if (problem) return <span>{problem}</span>;
  if (paused_until) return <Moment name={text.providers.pausedUntil} at={paused_until} />;
  if (failed_messages > 0) return <span>{text.providers.failing(failed_messages, messages)}</span>;
  if (since) return <Moment name={text.providers.since} at={since} />;
  if (messages > 0) return <span>{text.providers.well(messages)}</span>;
  if (last_success_at) {
    const name = channel === 'in_app' ? push.checked : text.providers.lastSuccess;
    return <Moment name={name} at={last_success_at} />;
  }
  return <span>{text.providers.quiet}</span>;
}

function Moment({ name, at }: { name: string; at: string }) {
  return (
    <span>
      {name} <Time at={at} />
    </span>
  );
}
