import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { curlGet } from '../../api/curl.ts';
import { useEnvironment } from '../../api/environment.tsx';
import { channelNames, common } from '../../strings/common.ts';
import { notifications } from '../../strings/notifications.ts';
import {
  Button,
  ClearFilters,
  CopyButton,
  Field,
  Input,
  isoOf,
  localOf,
  localZone,
  Row,
  SearchInput,
  Select,
  SelectFilter,
} from '../../ui/index.ts';
import styles from './list-filters.module.css';
import { type NotificationFilters, statuses } from './query.ts';

const text = notifications.filters;
const idPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function ListFilters({ filters }: { filters: NotificationFilters }) {
  const { values, set } = filters;
  const hasMore = Boolean(values.category || values.template_key || values.external_user_id);
  const [isOpen, setOpen] = useState(hasMore);
  return (
    <div className={styles.filters}>
      <Row>
        <Search filters={filters} />
        <SelectFilter
          label={text.status}
          any={text.anyStatus}
          options={statuses}
          nameOf={common.status}
          className={styles.select}
          {...filters.bind('status')}
        />
        <SelectFilter
          label={text.channel}
          any={text.anyChannel}
          options={channelNames}
          nameOf={common.channel}
          className={styles.select}
          {...filters.bind('channel')}
        />
        <Created filters={filters} />
        <Button variant="ghost" icon="filter" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? text.fewer : text.more}
        </Button>
        <ClearFilters filters={filters} icon="close" />
        <span className={styles.end}>
          <CopyButton
            spelled
            text={curlGet('/v1/notifications', filters.params)}
            label={notifications.copyCurl}
          />
        </span>
      </Row>
      {isOpen && (
        <div className={styles.more}>
          {(['category', 'template_key', 'external_user_id'] as const).map((name) => (
            <Field key={name} label={labels[name]}>
              <Lazy value={values[name]} onCommit={(value) => set({ [name]: value })} />
            </Field>
          ))}
        </div>
      )}
    </div>
  );
}

const labels = { category: text.category, template_key: text.template, external_user_id: text.user };

/** Searches for a whole address, so it applies on Enter and on blur. An id opens its notification. */
function Search({ filters }: { filters: NotificationFilters }) {
  const { kind } = useEnvironment();
  const navigate = useNavigate();
  const [typed, setTyped] = useTyped(filters.values.recipient);
  const commit = (value: string) => {
    const word = value.trim();
    if (idPattern.test(word)) void navigate({ to: `/${kind}/notifications/${word.toLowerCase()}` });
    else if (word !== filters.values.recipient) filters.set({ recipient: word });
  };
  return (
    <div className={styles.search}>
      <SearchInput
        label={notifications.search}
        value={typed}
        maxLength={2048}
        onChange={(event) => {
          setTyped(event.target.value);
          if (event.target.value === '') commit('');
        }}
        onBlur={() => commit(typed)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') commit(typed);
        }}
      />
    </div>
  );
}

/** Applies on Enter and on blur. */
function Lazy({ value, onCommit }: { value: string; onCommit(value: string): void }) {
  const [typed, setTyped] = useTyped(value);
  const commit = () => {
    if (typed.trim() !== value) onCommit(typed.trim());
  };
  return (
    <Input
      value={typed}
      maxLength={255}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit();
      }}
    />
  );
}

/** The typed text; follows the URL when that changes (back, clear). */
function useTyped(value: string) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  return [typed, setTyped] as const;
}

function Created({ filters }: { filters: NotificationFilters }) {
  const { values, set } = filters;
  const isCustom = Boolean(values.created_after || values.created_before) || values.window === 'custom';
  return (
    <>
      <Select
        aria-label={text.created}
        className={styles.select}
        value={isCustom ? 'custom' : values.window}
        onChange={(event) => set({ window: event.target.value, created_after: '', created_before: '' })}
      >
        {Object.entries(text.windows).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </Select>
      {isCustom &&
        (['created_after', 'created_before'] as const).map((name) => (
          <Input
            key={name}
            type="datetime-local"
            aria-label={name === 'created_after' ? text.after : text.before}
            title={text.localTime(localZone)}
            className={styles.date}
            value={localOf(values[name])}
            onChange={(event) => set({ [name]: isoOf(event.target.value), window: 'custom' })}
          />
        ))}
    </>
  );
}
