import { isRecord } from '../../kernel/json.ts';
import { fields, firstProblem, list, optional, type Problems, type Rule, text } from '../shape.ts';

const base = 'https://inbox.invalid';

/** Links of an item are http, https, or relative to the page that shows it. */
export function isSafeLink(url: string): boolean {
  if (/[\p{Cc}\s\\]/u.test(url)) return false; // browsers drop or convert these, which gives a different address
  const absolute = /^https?:\/\/[^/]/i.test(url);
  if (!absolute && /^[a-z][a-z\d+.-]*:/i.test(url)) return false;
  const parsed = URL.canParse(url, base) ? new URL(url, base) : null;
  if (!parsed || parsed.username || parsed.password) return false;
  return absolute || parsed.origin === base;
}

/** The styles of an action button. */
export const actionStyles = ['default', 'primary', 'danger'] as const;
type ActionStyle = (typeof actionStyles)[number];

/** A button of an item. The first one that the recipient chooses is recorded. */
export interface InboxAction {
  key: string;
  label: string;
  url: string | null;
  style: ActionStyle;
}

/**
 * What an item has besides its text: from the fields `tags` and `actions` of the request, or from the JSON of the template's body,
 * `{"tags": […], "actions": […]}`.
 */
export interface InboxExtras {
  tags?: string[];
  actions?: InboxAction[];
}

/** The same before it is checked and completed. */
export interface InboxExtrasInput {
  tags?: readonly string[] | null | undefined;
  actions?:
    | readonly {
        key: string;
        label: string;
        url?: string | null | undefined;
        style?: string | null | undefined;
      }[]
    | null
    | undefined;
}

export const extrasLimits = { tags: 10, tag: 64, actions: 2, key: 64, label: 80, url: 2_048 } as const;

/** The form of an action's key: it is part of a URL, and workflows compare it. */
export const actionKey = '^[a-z0-9][a-z0-9_-]{0,63}$';
const actionKeyForm = new RegExp(actionKey);

/** Control characters, and halves of a surrogate pair, which PostgreSQL refuses in JSON. */
const unstorable = /[\p{Cc}\p{Cs}]/u;

const oneLine = (max: number): Rule =>
  function* (at, value) {
    yield* text(max)(at, value);
    if (unstorable.test(String(value))) yield `${at} must be one line, without control characters`;
  };

const key: Rule = function* (at, value) {
  if (typeof value !== 'string' || !actionKeyForm.test(value))
    yield `${at} must be 1 to ${extrasLimits.key} of a–z, 0–9, “_” and “-”, the first a letter or a digit`;
};

const url: Rule = function* (at, value) {
  yield* text(extrasLimits.url)(at, value);
  if (unstorable.test(String(value)) || !isSafeLink(String(value)))
    yield `${at} must be an http or https URL, or a relative one`;
};

const style: Rule = function* (at, value) {
  if (!(actionStyles as readonly unknown[]).includes(value)) yield `${at} must be ${actionStyles.join(', ')}`;
};

const extras = fields({
  tags: optional(list(oneLine(extrasLimits.tag), extrasLimits.tags, 0)),
  actions: optional(
    list(
      fields({
        key,
        label: oneLine(extrasLimits.label),
        url: optional(url),
        style: optional(style),
      }),
      extrasLimits.actions,
      0,
    ),
  ),
});

function* problems(value: unknown): Problems {
  if (!isRecord(value)) return yield 'it must be an object with tags and actions';
  yield* extras('', value);
  const [first, second] = (value.actions ?? []) as { key: unknown }[];
  if (first && second && first.key === second.key) yield 'actions[1].key must differ from that of the first';
}

/** Returns the first problem, which begins with the field at fault; null when there is none. */
export function extrasProblem(value: unknown): string | null {
  return firstProblem(problems(value));
}

/** Expects input without a problem. Null when nothing is given: such a notification costs nothing. */
export function extrasOf({ tags, actions }: InboxExtrasInput): InboxExtras | null {
  if (!tags && !actions) return null;
  return {
    ...(tags && { tags: [...new Set(tags)] }),
    ...(actions && {
      actions: actions.map((action) => ({
        key: action.key,
        label: action.label,
        url: action.url || null,
        style: (action.style as ActionStyle | null | undefined) ?? 'default',
      })),
    }),
  };
}
