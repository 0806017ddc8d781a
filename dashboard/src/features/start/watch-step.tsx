import { useEnvironment } from '../../api/environment.tsx';
import { start as text } from '../../strings/start.ts';
import { ChannelLabel, LinkButton, Notice, Row, StatusBadge, Time } from '../../ui/index.ts';
import type { Sending } from './progress.ts';
import styles from './start.module.css';
import { Step } from './step.tsx';

const badEnds = ['failed', 'bounced', 'suppressed'];

export function WatchStep({ sending: { newest, hasArrived } }: { sending: Sending }) {
  const { kind } = useEnvironment();
  return (
    <Step number={3} title={text.watch.title} isDone={hasArrived}>
      <div aria-live="polite" className={styles.watch}>
        {newest === null ? (
          <p className={styles.waiting}>
            <span className={styles.pulse} />
            {text.watch.waiting}
          </p>
        ) : (
          <>
            <div className={styles.newest}>
              <span>{text.watch.newest}</span>
              <ChannelLabel channel={newest.channel} />
              <bdi>{text.watch.to(newest.recipient.address ?? text.watch.inbox)}</bdi>
              <Time at={newest.created_at} />
              <StatusBadge status={newest.status} />
            </div>
            {badEnds.includes(newest.status) && <Notice tone="amber">{text.watch.failed}</Notice>}
          </>
        )}
      </div>
      {newest !== null && (
        <Row>
          <LinkButton to={`/${kind}/notifications/${newest.id}`} icon="eye">
            {text.watch.open}
          </LinkButton>
          {kind === 'test' && (
            <LinkButton to={`/${kind}/sandbox`} icon="sandbox" variant="ghost">
              {text.watch.sandbox}
            </LinkButton>
          )}
        </Row>
      )}
    </Step>
  );
}
