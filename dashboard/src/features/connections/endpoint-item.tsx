import { connections, endpoints as text } from '../../strings/connections.ts';
import { Button, Copyable, IconButton, Menu, StatusBadge } from '../../ui/index.ts';
import styles from './connections.module.css';
import { displayNameOf, type Endpoint, type EndpointChannel } from './endpoints.ts';
import { LastCalls, Trouble } from './health-facts.tsx';

export function EndpointItem(props: {
  channel: EndpointChannel;
  endpoint: Endpoint;
  mayWrite: boolean;
  onTest(): void;
  onEdit(): void;
  onRemove(): void;
}) {
  const { channel, endpoint, mayWrite, onTest, onEdit, onRemove } = props;
  const { username } = displayNameOf(endpoint);
  return (
    <li className={styles.item}>
      <div className={styles.itemHead}>
        <div className={styles.itemName}>
          <bdi className={styles.strong}>{endpoint.label}</bdi>
          <span className={styles.small}>
            <code>{text.urlBegins(endpoint.webhook_url_prefix)}</code>
          </span>
        </div>
        <Copyable text={endpoint.key} />
        <StatusBadge status={endpoint.status} />
        {mayWrite && (
          <span className={styles.tools}>
            <Button size="small" icon="send" onClick={onTest}>
              {connections.sendTest}
            </Button>
            <Menu
              trigger={<IconButton label={text.actions(endpoint.label)} icon="more" size="small" />}
              items={[
                { label: text.edit, icon: 'edit', onSelect: onEdit },
                { label: text.remove, icon: 'trash', danger: true, onSelect: onRemove },
              ]}
            />
          </span>
        )}
      </div>
      <Trouble
        health={endpoint}
        words={{ broken: text.broken[channel], gone: text.gone[channel] }}
        action={
          mayWrite && (
            <Button size="small" onClick={onEdit}>
              {text.giveUrl}
            </Button>
          )
        }
      />
      <div className={styles.facts}>
        <LastCalls health={endpoint} />
        {username !== '' && <bdi>{text.speaks(username)}</bdi>}
      </div>
    </li>
  );
}
