import { useId } from 'react';
import { useRead } from '../../api/queries.ts';
import { broadcasts } from '../../strings/broadcasts.ts';
import { common } from '../../strings/common.ts';
import {
  Checkbox,
  Field,
  InboxFields,
  Input,
  localZone,
  Radio,
  Select,
  Textarea,
  useFormError,
} from '../../ui/index.ts';
import styles from './broadcasts.module.css';
import { type BroadcastDraft, broadcastChannels, isInApp, problemsOf } from './definition.ts';
import { FilterFields } from './filter-fields.tsx';
import { KeyInput } from './key-input.tsx';

const text = broadcasts.form;

export function BroadcastForm(props: {
  draft: BroadcastDraft;
  onChange(change: Partial<BroadcastDraft>): void;
}) {
  const { draft, onChange } = props;
  const problems = problemsOf(draft);
  const categories = useRead(['categories', 'choices'], (api) => api.categories.list({ limit: 100 }).page());
  return (
    <>
      <Field label={text.name} hint={text.nameHint} name="name" problem={problems.name}>
        <Input
          value={draft.name}
          maxLength={200}
          dir="auto"
          onChange={(event) => onChange({ name: event.target.value })}
        />
      </Field>
      <Choices
        legend={text.audience}
        options={{ topic: text.topic, filter: text.filter, all: text.all }}
        value={draft.audience}
        onChange={(audience) => onChange({ audience })}
      />
      {draft.audience === 'topic' && (
        <Field label={text.topic} name="audience" problem={problems.topic}>
          <KeyInput
            of="topics"
            value={draft.topic}
            placeholder={text.chooseTopic}
            onChange={(topic) => onChange({ topic })}
          />
        </Field>
      )}
      {draft.audience === 'filter' && (
        <FilterFields
          rows={draft.filter}
          problem={problems.filter}
          onChange={(filter) => onChange({ filter })}
        />
      )}
      <Channels draft={draft} onChange={onChange} problem={problems.channels} />
      <Choices
        legend={text.content}
        options={{ template: text.template, inline: text.inline }}
        value={draft.content}
        onChange={(content) => onChange({ content })}
      />
      {draft.content === 'template' ? (
        <Field label={text.template} name="template_key" problem={problems.template}>
          <KeyInput
            of="templates"
            value={draft.template}
            placeholder={text.chooseTemplate}
            onChange={(template) => onChange({ template })}
          />
        </Field>
      ) : (
        <>
          <Field label={text.subject} name="subject">
            <Input
              value={draft.subject}
              maxLength={998}
              dir="auto"
              onChange={(event) => onChange({ subject: event.target.value })}
            />
          </Field>
          <Field label={text.text} name={['text_body', 'html_body']} problem={problems.body}>
            <Textarea
              rows={5}
              value={draft.body}
              dir="auto"
              onChange={(event) => onChange({ body: event.target.value })}
            />
          </Field>
        </>
      )}
      {isInApp(draft) && <InboxFields draft={draft.inbox} onChange={(inbox) => onChange({ inbox })} />}
      <Field label={text.category} hint={text.categoryHint} name="category">
        <Select value={draft.category} onChange={(event) => onChange({ category: event.target.value })}>
          <option value="">{text.noCategory}</option>
          {(categories.data?.data ?? []).map(({ key, name }) => (
            <option key={key} value={key}>
              {name}
            </option>
          ))}
        </Select>
      </Field>
      <Choices
        legend={text.when}
        options={{ now: text.now, at: text.at, local: text.local }}
        value={draft.when}
        onChange={(when) => onChange({ when })}
      />
      {draft.when !== 'now' && (
        <Field
          label={text.time}
          hint={draft.when === 'at' ? text.timeHint(localZone) : text.localHint}
          name={['send_at', 'send_at_local']}
          problem={problems.time}
        >
          <Input
            type="datetime-local"
            value={draft.time}
            onChange={(event) => onChange({ time: event.target.value })}
          />
        </Field>
      )}
      <Field label={text.rate} hint={text.rateHint} name="rate_per_second" problem={problems.rate}>
        <Input
          inputMode="numeric"
          value={draft.rate}
          onChange={(event) => onChange({ rate: event.target.value })}
        />
      </Field>
    </>
  );
}

function Choices<Value extends string>(props: {
  legend: string;
  options: Record<Value, string>;
  value: Value;
  onChange(value: Value): void;
}) {
  const { legend, options, value, onChange } = props;
  const name = useId();
  return (
    <fieldset className={styles.group}>
      <legend>{legend}</legend>
      <div className={styles.choices}>
        {(Object.keys(options) as Value[]).map((each) => (
          <Radio
            key={each}
            name={name}
            label={options[each]}
            checked={each === value}
            onChange={() => onChange(each)}
          />
        ))}
      </div>
    </fieldset>
  );
}

/** The order of the boxes is the order in which they were checked. */
function Channels(props: {
  draft: BroadcastDraft;
  onChange(change: Partial<BroadcastDraft>): void;
  problem: string | null;
}) {
  const { draft, onChange, problem } = props;
  const error = useFormError('channels', problem);
  return (
    <fieldset className={styles.group}>
      <legend>{text.channels}</legend>
      <span className={styles.small}>{text.channelsHint}</span>
      <div className={styles.choices}>
        {broadcastChannels.map((channel) => {
          const place = draft.channels.indexOf(channel);
          return (
            <Checkbox
              key={channel}
              label={common.channel(channel)}
              hint={place >= 0 && draft.channels.length > 1 ? place + 1 : ''}
              checked={place >= 0}
              onChange={(event) =>
                onChange({
                  channels: event.target.checked
                    ? [...draft.channels, channel]
                    : draft.channels.filter((each) => each !== channel),
                })
              }
            />
          );
        })}
      </div>
      {error && <span role="alert">{error}</span>}
    </fieldset>
  );
}
