import type { ChatoneInstallation } from '@carillon/sdk';
import { useWrite } from '../../api/queries.ts';
import { common } from '../../strings/common.ts';
import { connections, chatone as text } from '../../strings/connections.ts';
import {
  AnchorButton,
  Button,
  Copyable,
  IconButton,
  Menu,
  StatusBadge,
  Switch,
  Time,
} from '../../ui/index.ts';
import styles from './connections.module.css';
import { LastCalls, Trouble } from './health-facts.tsx';

export function ChatoneItem(props: {
  installation: ChatoneInstallation;
  installHref: string;
  mayWrite: boolean;
  onTest(): void;
  onRemove(): void;
}) {
  const { installation, installHref, mayWrite, onTest, onRemove } = props;
  const { id, team_name: team, team_id, bot_user_id, scopes, installed_at } = installation;
  const join = useWrite((api, isOn: boolean) => api.chatone.update(id, { auto_join_public_channels: isOn }), {
    changes: [['chatone']],
    done: common.saved,
  });
  return (
    <li className={styles.item}>
      <div className={styles.itemHead}>
        <div className={styles.itemName}>
          <bdi className={styles.strong}>{team}</bdi>
          <span className={styles.small}>
            <Copyable text={team_id} />
          </span>
        </div>
        <StatusBadge status={installation.status} />
        {mayWrite && (
          <span className={styles.tools}>
            <Button size="small" icon="send" onClick={onTest}>
              {connections.sendTest}
            </Button>
            <Menu
              trigger={<IconButton label={text.actions(team)} icon="more" size="small" />}
              items={[{ label: text.remove, icon: 'trash', danger: true, onSelect: onRemove }]}
            />
          </span>
        )}
      </div>
      <Trouble
        health={installation}
        words={text}
        action={
          mayWrite && (
            <AnchorButton size="small" href={installHref}>
              {text.again}
            </AnchorButton>
          )
        }
      />
      <Switch
        label={
          <>
            {text.autoJoin}
            <span className="visually-hidden"> {team}</span>
          </>
        }
        hint={text.autoJoinHint}
        checked={join.isPending ? join.variables : installation.auto_join_public_channels}
        disabled={!mayWrite}
        onChange={(event) => !join.isPending && join.mutate(event.target.checked)}
      />
      <div className={styles.facts}>
        <LastCalls health={installation} />
        <span>
          {text.installed} <Time at={installed_at} />
        </span>
        <span>
          {text.bot} <code>{bot_user_id}</code>
        </span>
        <span>
          {text.scopes} <code>{scopes.join(', ')}</code>
        </span>
      </div>
    </li>
  );
}
