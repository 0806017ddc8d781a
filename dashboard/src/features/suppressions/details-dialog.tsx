import type { Suppression } from '@carillon/sdk';
import { Link } from '@tanstack/react-router';
import { useEnvironment } from '../../api/environment.tsx';
import { common } from '../../strings/common.ts';
import { suppressions } from '../../strings/suppressions.ts';
import { Button, CodeBlock, Copyable, Dialog, ExactTime, Pairs, Stack } from '../../ui/index.ts';
import { ReasonBadge } from './reason.tsx';
import styles from './suppressions.module.css';

const text = suppressions.detail;

export function DetailsDialog(props: {
  suppression: Suppression;
  onClose(): void;
  onRemove: (() => void) | null;
}) {
  const { suppression, onClose, onRemove } = props;
  const { address, reason, source, diagnostic_detail, triggering_notification_id } = suppression;
  const { kind } = useEnvironment();
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={<bdi>{address}</bdi>}
      description={suppressions.meanings[reason]}
      foot={
        <>
          {onRemove && <Button onClick={onRemove}>{suppressions.remove}</Button>}
          <Button variant="primary" onClick={onClose}>
            {common.close}
          </Button>
        </>
      }
    >
      <Pairs
        pairs={[
          [suppressions.columns.address, <Copyable key="address" text={address} />],
          [text.why, <ReasonBadge key="reason" reason={reason} />],
          [text.source, suppressions.sources[source] ?? source],
          [text.since, <ExactTime key="since" at={suppression.suppressed_at} />],
          triggering_notification_id !== null && [
            text.notification,
            <Link key="notification" to={`/${kind}/notifications/${triggering_notification_id}`}>
              {text.openNotification}
            </Link>,
          ],
          [
            text.notifications,
            <Link key="sends" to={`/${kind}/notifications`} search={{ recipient: address }}>
              {text.sends}
            </Link>,
          ],
        ]}
      />
      <Stack className={styles.said}>
        <h3>{text.said}</h3>
        {diagnostic_detail ? (
          <CodeBlock label={text.said} code={diagnostic_detail} wrap />
        ) : (
          <p className={styles.muted}>{text.nothingSaid}</p>
        )}
      </Stack>
    </Dialog>
  );
}
