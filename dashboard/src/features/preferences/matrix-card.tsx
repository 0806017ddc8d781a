import type { Category, Preference } from '@carillon/sdk';
import { useState } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import { useRead, useWrite } from '../../api/queries.ts';
import { type Channel, channelNames, common } from '../../strings/common.ts';
import { user as text } from '../../strings/preferences.ts';
import {
  AnchorButton,
  Card,
  ChannelLabel,
  ConfirmDialog,
  classes,
  EmptyState,
  Icon,
  LinkButton,
  Loaded,
  Switch,
} from '../../ui/index.ts';
import styles from './matrix.module.css';

interface CategoryRow {
  key: string;
  name: string;
  isCritical: boolean;
  cells: Partial<Record<Channel, Preference>>;
}

/** Opens the hosted page as the user sees it. */
function PageLink({ id }: { id: string }) {
  const { data } = useRead(['preference-link', id], (api, signal) => api.preferences.getLink(id, { signal }));
  return (
    data && (
      <AnchorButton size="small" icon="external" href={data.url} target="_blank" rel="noreferrer">
        {text.page}
      </AnchorButton>
    )
  );
}

/** Every category and channel with its effective value and who set it. */
export function MatrixCard({ id, mayWrite }: { id: string; mayWrite: boolean }) {
  const { kind } = useEnvironment();
  const query = useRead(['preferences', id], async (api, signal) => {
    const { data } = await api.preferences.get(id, { signal });
    const categories: Category[] = [];
    for await (const each of api.categories.list({ limit: 100 }, { signal })) categories.push(each);
    return rowsOf(data, categories);
  });
  return (
    <Card title={text.matrix} actions={mayWrite && <PageLink id={id} />} flush>
      <Loaded query={query} lines={6}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState
              title={text.noCategories}
              icon="preferences"
              action={<LinkButton to={`/${kind}/preferences`}>{text.toCategories}</LinkButton>}
            >
              {text.noCategoriesText}
            </EmptyState>
          ) : (
            <div>
              <p className={styles.hint}>{text.matrixHint}</p>
              <Matrix id={id} rows={rows} mayWrite={mayWrite} />
              <p className={styles.legend}>{text.legend}</p>
            </div>
          )
        }
      </Loaded>
    </Card>
  );
}

function Matrix({ id, rows, mayWrite }: { id: string; rows: CategoryRow[]; mayWrite: boolean }) {
  return (
    <div className={styles.wrap}>
      <table className={styles.matrix} aria-label={text.matrixLabel}>
        <thead>
          <tr>
            <th scope="col">{text.category}</th>
            {channelNames.map((channel) => (
              <th key={channel} scope="col">
                <ChannelLabel channel={channel} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.key}>
              <th scope="row">
                <bdi>{row.name}</bdi>
                <code>{row.key}</code>
              </th>
              {row.isCritical ? (
                <td colSpan={channelNames.length} className={styles.locked}>
                  <Icon name="lock" />
                  {text.critical}
                </td>
              ) : (
                channelNames.map((channel) => (
                  <td key={channel} data-label={common.channel(channel)}>
                    <Cell id={id} row={row} channel={channel} mayWrite={mayWrite} />
                  </td>
                ))
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell(props: { id: string; row: CategoryRow; channel: Channel; mayWrite: boolean }) {
  const { id, row, channel, mayWrite } = props;
  const cell = row.cells[channel];
  const [isAsking, setAsking] = useState(false);
  const change = useWrite(
    (api, isOn: boolean) => api.preferences.set(id, row.key, channel, { opted_in: isOn }),
    { changes: [['preferences', id]], onDone: () => setAsking(false) },
  );
  if (!cell) return null;
  const isOn = change.isPending ? change.variables : cell.opted_in;
  const source = change.isPending ? 'api' : cell.source;
  return (
    <div className={styles.cell}>
      <Switch
        label={<span className="visually-hidden">{text.cell(row.name, common.channel(channel))}</span>}
        checked={isOn}
        disabled={!mayWrite}
        onChange={(event) => {
          if (change.isPending) return;
          const next = event.target.checked;
          if (next && cell.source === 'unsubscribe') setAsking(true);
          else change.mutate(next);
        }}
      />
      <span className={classes(styles.source, source !== 'default' && styles.chosen)}>
        {text.sources[source] ?? source}
      </span>
      <ConfirmDialog
        open={isAsking}
        onClose={() => setAsking(false)}
        title={text.againTitle}
        confirm={text.againConfirm}
        danger={false}
        onConfirm={() => change.mutate(true)}
        busy={change.isPending}
      >
        {text.againText(row.name)}
      </ConfirmDialog>
    </div>
  );
}

function rowsOf(cells: Preference[], categories: Category[]): CategoryRow[] {
  const names = new Map(categories.map(({ key, name }) => [key, name]));
  const rows = new Map<string, CategoryRow>();
  for (const cell of cells) {
    const { category_key: key } = cell;
    const row = rows.get(key) ?? {
      key,
      name: names.get(key) ?? key,
      isCritical: cell.is_critical,
      cells: {},
    };
    row.cells[cell.channel] = cell;
    rows.set(key, row);
  }
  return [...rows.values()];
}
