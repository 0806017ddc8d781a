import { webhooks as text } from '../../strings/webhooks.ts';
import { Checkbox, Field, Icon, Input, Radio, useFormError } from '../../ui/index.ts';
import type { Draft } from './endpoint-draft.ts';
import { eventGroups } from './event-types.ts';
import styles from './webhooks.module.css';

/** The events an endpoint receives: all, or those that are ticked or typed. */
export function EventChoice(props: {
  draft: Draft;
  onChange(changes: Partial<Draft>): void;
  problem: string | null;
}) {
  const { draft, onChange, problem } = props;
  const error = useFormError('event_filters', problem);
  const toggle = (type: string, isOn: boolean) =>
    onChange({ types: isOn ? [...draft.types, type] : draft.types.filter((each) => each !== type) });
  return (
    <fieldset className={styles.choice}>
      <legend>{text.form.events}</legend>
      <Radio
        name="events"
        label={text.form.every}
        checked={draft.isEverything}
        onChange={() => onChange({ isEverything: true })}
      />
      <Radio
        name="events"
        label={text.form.chosen}
        checked={!draft.isEverything}
        onChange={() => onChange({ isEverything: false })}
      />
      {!draft.isEverything && (
        <div className={styles.types}>
          {eventGroups.map(([group, types]) => (
            <fieldset key={group}>
              <legend>{text.form.groups[group]}</legend>
              {types.map((type) => (
                <Checkbox
                  key={type}
                  label={<code>{type}</code>}
                  hint={text.form.meanings[type]}
                  checked={draft.types.includes(type)}
                  onChange={(event) => toggle(type, event.target.checked)}
                />
              ))}
            </fieldset>
          ))}
          <Field label={text.form.others} hint={text.form.othersHint}>
            <Input mono value={draft.others} onChange={(event) => onChange({ others: event.target.value })} />
          </Field>
        </div>
      )}
      {error && (
        <p className={styles.mistake} role="alert">
          <Icon name="warning" size={14} />
          {error}
        </p>
      )}
    </fieldset>
  );
}
