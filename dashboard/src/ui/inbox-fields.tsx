import type { InboxActionInput } from '@carillon/sdk';
import { useState } from 'react';
import { inbox as text } from '../strings/inbox.ts';
import { Button } from './button.tsx';
import { Field, Input, Select } from './field.tsx';
import styles from './inbox-fields.module.css';

/** The tags and buttons of an in-app notification, as they are typed. */
export interface InboxDraft {
  tags: readonly string[];
  actions: readonly ActionDraft[];
}
interface ActionDraft {
  key: string;
  label: string;
  url: string;
  /** Empty is the default style. */
  style: string;
}

const limits = { tags: 10, tag: 64, actions: 2, key: 64, label: 80, url: 2048 };
const keyPattern = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const newAction: ActionDraft = { key: '', label: '', url: '', style: '' };

export const emptyInbox: InboxDraft = { tags: [], actions: [] };

/** The request fields of a draft; without those that are empty. */
export function inboxOf({ tags, actions }: InboxDraft): { tags?: string[]; actions?: InboxActionInput[] } {
  return {
    ...(tags.length > 0 && { tags: [...tags] }),
    ...(actions.length > 0 && {
      actions: actions.map(({ key, label, url, style }) => ({
        key,
        label,
        ...(url !== '' && { url }),
        ...(style !== '' && { style: style as 'primary' | 'danger' }),
      })),
    }),
  };
}

export function isInboxWrong(draft: InboxDraft): boolean {
  return (
    tagsProblem(draft.tags) !== null ||
    draft.actions.some(({ label }, index) => label.trim() === '' || keyProblem(draft, index) !== null)
  );
}

function tagsProblem(tags: readonly string[]): string | null {
  const isRight = tags.length <= limits.tags && tags.every((tag) => tag.length <= limits.tag);
  return isRight ? null : text.tagsWrong(limits.tags, limits.tag);
}

function keyProblem({ actions }: InboxDraft, index: number): string | null {
  const key = actions[index]?.key ?? '';
  if (!keyPattern.test(key)) return text.keyWrong;
  return actions.findIndex((action) => action.key === key) < index ? text.keyTaken : null;
}

/** The tags and up to two buttons of an in-app notification. */
export function InboxFields(props: {
  draft: InboxDraft;
  disabled?: boolean;
  /** Returns the problem of a field where templates are allowed, which only the service can check. */
  errorOf?(field: string): string | null;
  onChange(draft: InboxDraft): void;
}) {
  const { draft, disabled, errorOf, onChange } = props;
  const { actions } = draft;
  const check = (problem: string | null) => (errorOf ? null : problem);
  const set = (next: readonly ActionDraft[]) => onChange({ ...draft, actions: next });
  return (
    <>
      <Field
        label={text.tags}
        hint={text.tagsHint}
        name="tags"
        problem={check(tagsProblem(draft.tags))}
        error={errorOf?.('tags')}
      >
        <TagsInput tags={draft.tags} disabled={disabled} onChange={(tags) => onChange({ ...draft, tags })} />
      </Field>
      <fieldset className={styles.group} disabled={disabled}>
        <legend>{text.actions}</legend>
        <span className={styles.hint}>{text.actionsHint}</span>
        {actions.map((action, index) => {
          const field = (name: keyof ActionDraft) => ({
            name: `actions[${index}].${name}`,
            error: errorOf?.(`actions/${index}/${name}`),
          });
          const bind = (name: keyof ActionDraft) => ({
            value: action[name],
            onChange: (event: { target: { value: string } }) =>
              set(actions.with(index, { ...action, [name]: event.target.value })),
          });
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a button has no identity besides its position
            <fieldset key={index} className={styles.action}>
              <legend className="visually-hidden">{text.action(index + 1)}</legend>
              <Field
                {...field('label')}
                label={text.label}
                problem={check(action.label.trim() === '' ? text.labelNeeded : null)}
              >
                <Input maxLength={limits.label} dir="auto" {...bind('label')} />
              </Field>
              <Field {...field('key')} label={text.key} problem={check(keyProblem(draft, index))}>
                <Input mono maxLength={errorOf ? undefined : limits.key} {...bind('key')} />
              </Field>
              <Field {...field('url')} label={text.url}>
                <Input maxLength={limits.url} {...bind('url')} />
              </Field>
              <Field {...field('style')} label={text.style}>
                <Select {...bind('style')}>
                  {[...new Set([...Object.keys(text.styles), action.style])].map((style) => (
                    <option key={style} value={style}>
                      {text.styles[style] ?? style}
                    </option>
                  ))}
                </Select>
              </Field>
              <div className={styles.foot}>
                <Button
                  size="small"
                  variant="ghost"
                  icon="trash"
                  onClick={() => set(actions.toSpliced(index, 1))}
                >
                  {text.remove(index + 1)}
                </Button>
              </div>
            </fieldset>
          );
        })}
        {actions.length < limits.actions && (
          <div>
            <Button size="small" icon="plus" onClick={() => set([...actions, newAction])}>
              {text.add}
            </Button>
          </div>
        )}
      </fieldset>
    </>
  );
}

/** Keeps the text as it is typed, such as a comma at its end, unless the tags change elsewhere. */
function TagsInput(props: {
  tags: readonly string[];
  disabled: boolean | undefined;
  onChange(tags: string[]): void;
}) {
  const { tags, disabled, onChange } = props;
  const outside = tags.join(', ');
  const [state, setState] = useState({ outside, typed: outside });
  if (state.outside !== outside) setState({ outside, typed: outside });
  return (
    <Input
      value={state.typed}
      disabled={disabled}
      dir="auto"
      onChange={(event) => {
        const typed = event.target.value;
        const next = tagsIn(typed);
        setState({ outside: next.join(', '), typed });
        onChange(next);
      }}
    />
  );
}

/** A comma within a Liquid output does not separate tags. */
const tagsIn = (typed: string): string[] =>
  (typed.match(/(?:\{\{.*?\}\}|[^,])+/g) ?? []).map((tag) => tag.trim()).filter((tag) => tag !== '');
