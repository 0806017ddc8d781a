import type { ListAuditEntriesParams } from '@carillon/sdk';
import { useEffect, useState } from 'react';
import type { useFilters } from '../../shell/filters.ts';
import { audit } from '../../strings/settings.ts';
import { ClearFilters, Field, Form, Input, Select } from '../../ui/index.ts';
import styles from './audit.module.css';
import { actionName, actions } from './audit-words.ts';
import type { useActors } from './use-actors.ts';

type Filters = ReturnType<typeof useFilters<'action' | 'actor' | 'target' | 'from' | 'to'>>;

/** The filters as parameters of the API. Days are in the time zone of the reader, and `to` is inclusive. */
export function auditQuery({ action, actor, target, from, to }: Filters['values']): ListAuditEntriesParams {
  return {
    ...(action && { action }),
    ...(actor && { actor_id: actor }),
    ...(target && { target }),
    ...moment('created_after', from, 0),
    ...moment('created_before', to, 1),
  };
}

function moment(name: 'created_after' | 'created_before', day: string, plusDays: number) {
  const [year, month, date] = day.split('-').map(Number);
  if (!year || !month || !date) return {};
  const at = new Date(year, month - 1, date + plusDays);
  return Number.isNaN(at.getTime()) ? {} : { [name]: at.toISOString() };
}

export function AuditFilters(props: { filters: Filters; actors: ReturnType<typeof useActors> }) {
  const { filters, actors } = props;
  const { values, set } = filters;
  const isKnownActor = [...actors.people, ...actors.keys].some(({ id }) => id === values.actor);
  const [target, setTarget] = useState(values.target);
  useEffect(() => setTarget(values.target), [values.target]);
  return (
    <Form className={styles.filters} onSubmit={() => set({ target: target.trim() })}>
      <Field label={audit.action}>
        <Select value={values.action} onChange={(event) => set({ action: event.target.value })}>
          <option value="">{audit.anyAction}</option>
          {[...new Set([...actions, values.action].filter(Boolean))].map((action) => (
            <option key={action} value={action}>
              {actionName(action)}
            </option>
          ))}
        </Select>
      </Field>
      <Field label={audit.actor}>
        <Select value={values.actor} onChange={(event) => set({ actor: event.target.value })}>
          <option value="">{audit.anyActor}</option>
          {!isKnownActor && values.actor && (
            <option value={values.actor}>{audit.unknown(values.actor)}</option>
          )}
          <optgroup label={audit.people}>{actors.people.map(option)}</optgroup>
          <optgroup label={audit.keys}>{actors.keys.map(option)}</optgroup>
        </Select>
      </Field>
      <Field label={audit.target} className={styles.target}>
        <Input
          value={target}
          placeholder={audit.targetHint}
          maxLength={200}
          onChange={(event) => setTarget(event.target.value)}
          onBlur={() => target.trim() !== values.target && set({ target: target.trim() })}
        />
      </Field>
      <Field label={audit.from}>
        <Input type="date" value={values.from} onChange={(event) => set({ from: event.target.value })} />
      </Field>
      <Field label={audit.to}>
        <Input type="date" value={values.to} onChange={(event) => set({ to: event.target.value })} />
      </Field>
      <ClearFilters filters={filters} icon="close" />
    </Form>
  );
}

function option({ id, name }: { id: string; name: string }) {
  return (
    <option key={id} value={id}>
      {name}
    </option>
  );
}
