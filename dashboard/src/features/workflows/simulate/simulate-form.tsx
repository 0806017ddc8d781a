import { workflows } from '../../../strings/workflows.ts';
import { Button, Field, IconButton, Input, localZone } from '../../../ui/index.ts';
import { JsonField, pretty, readObject } from '../build/json-field.tsx';
import { type Body, type Step, textOf } from '../definition.ts';
import { sampleData, sampleEvent } from './sample.ts';
import styles from './simulate.module.css';

const { simulation } = workflows;

/** The typed texts, so that incomplete JSON is not lost. */
interface Script {
  data: string;
  events: { name: string; at: string; data: string }[];
  responses: string;
  now: string;
}

export function firstScript(body: Body): Script {
  const data = sampleData(body);
  return {
    data: pretty(data),
    events: waitsIn(body).map((step) => eventFor(step, data)),
    responses: pretty(Object.fromEntries(fetchesIn(body).map(({ id }) => [id, {}]))),
    now: '',
  };
}

const waitsIn = (body: Body) => body.steps.filter(({ kind }) => kind === 'wait_for_event');
const fetchesIn = (body: Body) => body.steps.filter(({ kind }) => kind === 'fetch');

function eventFor(step: Step, data: Record<string, unknown>): Script['events'][number] {
  const { event_name, event_data } = sampleEvent(step, data);
  return { name: event_name, at: '', data: pretty(event_data) };
}

export function isReadable(script: Script): boolean {
  const texts = [script.data, script.responses, ...script.events.map(({ data }) => data)];
  return texts.every((text) => readObject(text).error === null);
}

/** The request of a script. */
export function requestOf({ data, events, responses, now }: Script) {
  return {
    trigger_data: readObject(data).value,
    events: events.map((event) => ({
      event_name: event.name,
      event_data: readObject(event.data).value,
      ...(event.at.trim() === '' ? {} : { at: event.at.trim() }),
    })),
    responses: readObject(responses).value,
    ...(now === '' ? {} : { now: new Date(now).toISOString() }),
  };
}

export function ScriptForm(props: { body: Body; script: Script; onChange(script: Script): void }) {
  const { body, script, onChange } = props;
  const { events } = script;
  const setEvent = (index: number, change: Partial<Script['events'][number]>) =>
    onChange({
      ...script,
      events: events.map((event, at) => (at === index ? { ...event, ...change } : event)),
    });
  const addEvent = () => {
    const waits = waitsIn(body);
    const step = waits.find(({ event }) => events.every(({ name }) => name !== textOf(event))) ?? waits[0];
    const event = step ? eventFor(step, readObject(script.data).value) : { name: '', at: '', data: '{}' };
    onChange({ ...script, events: [...events, event] });
  };
  return (
    <div className={styles.form}>
      <JsonField
        label={simulation.data}
        text={script.data}
        onChange={(data) => onChange({ ...script, data })}
      />
      <section className={styles.form} aria-label={simulation.events}>
        <div>
          <h3>{simulation.events}</h3>
          <p className={styles.muted}>{events.length === 0 ? simulation.noEvents : simulation.eventsHint}</p>
        </div>
        {events.map((event, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an event has no id
          <div key={index} className={styles.event}>
            <Field label={simulation.eventName}>
              <Input value={event.name} onChange={({ target }) => setEvent(index, { name: target.value })} />
            </Field>
            <Field label={simulation.eventAt} hint={simulation.eventAtHint}>
              <Input value={event.at} onChange={({ target }) => setEvent(index, { at: target.value })} />
            </Field>
            <IconButton
              label={simulation.removeEvent(index + 1)}
              icon="trash"
              onClick={() => onChange({ ...script, events: events.toSpliced(index, 1) })}
            />
            <JsonField
              label={simulation.eventData}
              rows={3}
              text={event.data}
              onChange={(data) => setEvent(index, { data })}
            />
          </div>
        ))}
        <div>
          <Button size="small" icon="plus" onClick={addEvent}>
            {simulation.addEvent}
          </Button>
        </div>
      </section>
      {fetchesIn(body).length > 0 && (
        <JsonField
          label={simulation.responses}
          hint={simulation.responsesHint}
          text={script.responses}
          onChange={(responses) => onChange({ ...script, responses })}
        />
      )}
      <Field label={simulation.now} hint={simulation.nowHint(localZone)}>
        <Input
          type="datetime-local"
          value={script.now}
          onChange={({ target }) => onChange({ ...script, now: target.value })}
        />
      </Field>
    </div>
  );
}
