import type { PushSettings } from '@carillon/sdk';
import type { ReactNode } from 'react';
import { chain } from '../../strings/connections.ts';
import { push as text } from '../../strings/push.ts';
import { Badge, Button, Copyable, IconButton, Menu, Notice, StatusBadge, Time } from '../../ui/index.ts';
import { adviceOn } from './advice.ts';
import styles from './connections.module.css';
import type { PushKind } from './push-settings.ts';

/** A push service: its settings, and the result of their last check. */
export function PushItem(props: {
  kind: PushKind;
  settings: PushSettings;
  mayWrite: boolean;
  onEdit(): void;
  onRemove(): void;
}) {
  const { kind, settings, mayWrite, onEdit, onRemove } = props;
  const name = text.names[kind];
  const service = settings[kind];
  const check = service?.check ?? null;
  return (
    <li className={styles.item}>
      <div className={styles.itemHead}>
        <div className={styles.itemName}>
          <span className={styles.strong}>{name}</span>
          <span className={styles.small}>{text.platforms[kind]}</span>
        </div>
        {service ? (
          <StatusBadge status={check?.ok === false ? 'broken' : 'active'} />
        ) : (
          <Badge>{text.notSet}</Badge>
        )}
        {mayWrite && !service && (
          <Button size="small" icon="plus" onClick={onEdit}>
            {text.setUp(name)}
          </Button>
        )}
        {mayWrite && service && (
          <Menu
            trigger={<IconButton label={text.actions(name)} icon="more" size="small" />}
            items={[
              { label: text.edit, icon: 'edit', onSelect: onEdit },
              { label: text.remove, icon: 'trash', danger: true, onSelect: onRemove },
            ]}
          />
        )}
      </div>
      {check?.ok === false && (
        <Notice tone="red">
          <strong>{chain.refused}</strong> {adviceOn(check.detail)}
          <div className={styles.answer}>{check.detail}</div>
        </Notice>
      )}
      {service && (
        <div className={styles.facts}>
          {factsOf(kind, settings).map(([label, value]) => (
            <span key={label}>
              {label} {value}
            </span>
          ))}
          {check && (
            <span>
              {check.ok && check.detail} {text.checked} <Time at={check.at} />
            </span>
          )}
        </div>
      )}
    </li>
  );
}

function factsOf(kind: PushKind, { web_push: web, apns, fcm }: PushSettings): [string, ReactNode][] {
  const { facts } = text;
  if (kind === 'web_push' && web) {
    return [
      [facts.contact, <bdi key="contact">{web.contact}</bdi>],
      [facts.publicKey, <Copyable key="key" text={web.public_key} />],
    ];
  }
  if (kind === 'apns' && apns) {
    return [
      [facts.team, <code key="team">{apns.team_id}</code>],
      [facts.key, <code key="key">{apns.key_id}</code>],
      [facts.bundle, <code key="bundle">{apns.bundle_id}</code>],
      [facts.environment, text.environments[apns.environment]],
    ];
  }
  if (kind === 'fcm' && fcm) {
    return [
      [facts.project, <code key="project">{fcm.project_id}</code>],
      [facts.account, <code key="account">{fcm.client_email}</code>],
    ];
  }
  return [];
}
