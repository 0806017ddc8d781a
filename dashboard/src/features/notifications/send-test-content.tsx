import { Link } from '@tanstack/react-router';
import { useEnvironment } from '../../api/environment.tsx';
import { useRead } from '../../api/queries.ts';
import { common } from '../../strings/common.ts';
import { notifications } from '../../strings/notifications.ts';
import { Field, Input, Notice, Radio, Select, Textarea } from '../../ui/index.ts';
import { type Draft, templateOnly } from './draft.ts';
import styles from './send-test.module.css';

const text = notifications.send;

/** The content itself, or a template. */
export function TestContent(props: {
  draft: Draft;
  isTemplate: boolean;
  onChange(changes: Partial<Draft>): void;
  dataError: string | null;
}) {
  const { draft, isTemplate, onChange, dataError } = props;
  return (
    <>
      {!templateOnly.includes(draft.channel) && (
        <fieldset className={styles.choices}>
          <legend className="visually-hidden">{text.content}</legend>
          <Radio
            name="content"
            label={text.words}
            checked={!isTemplate}
            onChange={() => onChange({ usesTemplate: false })}
          />
          <Radio
            name="content"
            label={text.template}
            checked={isTemplate}
            onChange={() => onChange({ usesTemplate: true })}
          />
        </fieldset>
      )}
      {isTemplate ? (
        <>
          <TemplateField draft={draft} onChange={onChange} />
          <Field label={text.data} name="template_data" error={dataError}>
            <Textarea mono value={draft.data} onChange={(event) => onChange({ data: event.target.value })} />
          </Field>
        </>
      ) : (
        <>
          {draft.channel !== 'sms' && draft.channel !== 'webhook' && (
            <Field label={text.subject} name="subject">
              <Input
                value={draft.subject}
                maxLength={998}
                onChange={(event) => onChange({ subject: event.target.value })}
              />
            </Field>
          )}
          <Field label={text.text} name={['text_body', 'html_body']}>
            <Textarea value={draft.words} onChange={(event) => onChange({ words: event.target.value })} />
          </Field>
        </>
      )}
    </>
  );
}

function TemplateField(props: { draft: Draft; onChange(changes: Partial<Draft>): void }) {
  const { draft, onChange } = props;
  const { kind } = useEnvironment();
  const templates = useRead(['templates', 'choices'], (api, signal) =>
    api.templates.list({ limit: 100 }, { signal }).page(),
  );
  const suited = templates.data?.data.filter(({ body_channels: channels }) =>
    channels.includes(draft.channel.replace('_', '-')),
  );
  if (suited?.length === 0) {
    return (
      <Notice tone="amber">
        {text.noTemplate(common.channel(draft.channel))}{' '}
        <Link to={`/${kind}/templates`}>{common.create}</Link>
      </Notice>
    );
  }
  return (
    <Field label={text.templateOf} name="template_key">
      <Select value={draft.template} onChange={(event) => onChange({ template: event.target.value })}>
        <option value="" />
        {suited?.map(({ key, name }) => (
          <option key={key} value={key}>
            {name || key}
          </option>
        ))}
      </Select>
    </Field>
  );
}
