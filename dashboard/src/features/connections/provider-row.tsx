import type { KeyboardEvent } from 'react';
import { common } from '../../strings/common.ts';
import { chain as text } from '../../strings/connections.ts';
import {
  Badge,
  Button,
  classes,
  Icon,
  IconButton,
  Menu,
  StatusBadge,
  Switch,
  Tooltip,
} from '../../ui/index.ts';
import type { DraftProvider, ProviderProblem } from './chain-draft.ts';
import styles from './connections.module.css';
import { kindName, type SavedProvider } from './provider-kinds.ts';
import { ProviderState } from './provider-state.tsx';
import type { useDragOrder } from './use-drag-order.ts';
import type { Verdict } from './use-verdicts.ts';

interface ProviderRowProps {
  provider: DraftProvider;
  place: { index: number; count: number; isAlone: boolean };
  saved: SavedProvider | undefined;
  isChanged: boolean;
  pausedUntil: string | null;
  verdict: Verdict | undefined;
  problem: ProviderProblem | null;
  order: ReturnType<typeof useDragOrder>;
  mayWrite: boolean;
  onMove(to: number): void;
  onVerify(): void;
  onEnable(enabled: boolean): void;
  onEdit(): void;
  onRemove(): void;
}

export function ProviderRow(props: ProviderRowProps) {
  const { provider, place, saved, isChanged, pausedUntil, verdict, problem, order, mayWrite } = props;
  const { index } = place;
  const name = provider.name || kindName(provider.kind);
  const shift = order.shiftOf(index);
  const wireName = common.wireName(provider.kind);
  return (
    <li
      className={classes(styles.provider, order.isDragging(index) && styles.dragged)}
      style={shift === 0 ? undefined : { translate: `0 ${shift}px` }}
    >
      <div className={styles.providerHead}>
        {mayWrite && <Handle {...props} name={name} />}
        <span className={styles.place}>{text.position(index + 1)}</span>
        <div className={styles.providerName}>
          <bdi className={styles.strong}>{name}</bdi>
          <span className={styles.small}>
            {summaryOf(provider)}
            {wireName !== null && <code> {wireName}</code>}
          </span>
        </div>
        <span className={styles.badges}>
          {isChanged && <Badge tone="amber">{text.unsaved}</Badge>}
          {!provider.enabled && (
            <Badge tone="grey" shape="square">
              {text.off}
            </Badge>
          )}
          {saved && provider.enabled && <StatusBadge status={pausedUntil ? 'paused' : saved.health.status} />}
        </span>
        {mayWrite && <Tools {...props} name={name} />}
      </div>
      <ProviderState
        channel={provider.channel}
        saved={saved}
        enabled={provider.enabled}
        isAlone={place.isAlone}
        pausedUntil={pausedUntil}
        verdict={verdict}
      />
      {problem && (
        <p role="alert" className={styles.problem}>
          <Icon name="warning" size={14} />
          {text.providerProblem(name, problem.message)}
        </p>
      )}
    </li>
  );
}

/** Reorders the row by pointer and by arrow keys. */
function Handle({ name, place, order, onMove }: ProviderRowProps & { name: string }) {
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (event.key === 'Escape') order.cancel();
    if (step === undefined) return;
    event.preventDefault();
    onMove(place.index + step);
  };
  return (
    <button
      type="button"
      className={styles.handle}
      aria-label={text.drag(name)}
      onKeyDown={onKeyDown}
      {...order.handle(place.index)}
    >
      <Icon name="drag" />
    </button>
  );
}

function Tools(props: ProviderRowProps & { name: string }) {
  const { provider, place, isChanged, verdict, name, onMove, onVerify, onEnable, onEdit, onRemove } = props;
  const { index, count } = place;
  const verify = (
    <Button
      size="small"
      busy={verdict === 'asking'}
      onClick={() => !isChanged && onVerify()}
      aria-disabled={isChanged || undefined}
      className={classes(isChanged && styles.waiting)}
    >
      {text.verify}
    </Button>
  );
  return (
    <span className={styles.tools}>
      <Switch
        label={<span className="visually-hidden">{text.enabled(name)}</span>}
        checked={provider.enabled}
        onChange={(event) => onEnable(event.target.checked)}
      />
      {isChanged ? <Tooltip text={text.verifyFirst}>{verify}</Tooltip> : verify}
      <span className={styles.arrows}>
        <IconButton
          label={text.up(name)}
          icon="up"
          size="small"
          disabled={index === 0}
          onClick={() => onMove(index - 1)}
        />
        <IconButton
          label={text.down(name)}
          icon="down"
          size="small"
          disabled={index === count - 1}
          onClick={() => onMove(index + 1)}
        />
      </span>
      <Menu
        trigger={<IconButton label={text.actions(name)} icon="more" size="small" />}
        items={[
          { label: text.edit, icon: 'edit', onSelect: onEdit },
          { label: text.remove, icon: 'trash', danger: true, onSelect: onRemove },
        ]}
      />
    </span>
  );
}

/** The kind and the setting that distinguishes this provider from others of the same kind. */
function summaryOf({ kind, config }: DraftProvider): string {
  const { host, port, region, domain, url, from_sender_id, from_number } = config;
  const [service] = /(?<=^https?:\/\/)[^/?#]+/.exec(String(url ?? '')) ?? [];
  const place = [
    host && (port ? `${host}:${port}` : host),
    domain,
    region,
    service,
    from_sender_id,
    from_number,
  ]
    .filter(Boolean)
    .join(', ');
  return place === '' ? kindName(kind) : `${kindName(kind)} · ${place}`;
}
