/** Messages of a catalogue: nested keys, and plural forms as objects. */
export type Messages = Record<string, unknown>;

const categories = ['zero', 'one', 'two', 'few', 'many', 'other'];

function isForms(value: object): boolean {
  return 'other' in value && Object.keys(value).every((name) => categories.includes(name));
}

/** Returns the messages by dotted keys, as texts: plural forms are shown as JSON. */
export function flatten(messages: Messages): Map<string, string> {
  const flat = new Map<string, string>();
  const visit = (value: unknown, path: string[]): void => {
    if (typeof value === 'string') flat.set(path.join('.'), value);
    else if (typeof value === 'object' && value !== null) {
      if (path.length > 0 && isForms(value)) flat.set(path.join('.'), JSON.stringify(value));
      else for (const [name, inner] of Object.entries(value)) visit(inner, [...path, name]);
    }
  };
  visit(messages, []);
  return flat;
}

/**
 * Returns the path at which a message cannot be written, or null: a group is there, which would be lost, or a message, which
 * cannot contain others.
 */
export function obstacleTo(
  messages: Messages,
  key: string,
): { path: string; is: 'group' | 'message' } | null {
  let at: unknown = messages;
  const path: string[] = [];
  for (const name of key.split('.')) {
    at = Object.hasOwn(at as Messages, name) ? (at as Messages)[name] : undefined;
    if (at === undefined) return null;
    path.push(name);
    const isGroup = typeof at === 'object' && at !== null && !isForms(at);
    const isWhole = path.join('.') === key;
    if (isGroup === isWhole) return { path: path.join('.'), is: isGroup ? 'group' : 'message' };
  }
  return null;
}

/** Returns the messages with one more, or another one. An empty text removes the key. Nothing must be in its way. */
export function withMessage(messages: Messages, key: string, shown: string): Messages {
  const [name = '', ...rest] = key.split('.');
  const inner = messages[name];
  if (rest.length > 0) {
    const group = typeof inner === 'object' && inner !== null ? (inner as Messages) : {};
    return { ...messages, [name]: withMessage(group, rest.join('.'), shown) };
  }
  const { [name]: _former, ...others } = messages;
  return shown === '' ? others : { ...messages, [name]: messageOf(shown) };
}

/** A text that is a JSON object of plural forms is one. */
function messageOf(shown: string): unknown {
  try {
    const value: unknown = JSON.parse(shown);
    return typeof value === 'object' && value !== null && isForms(value) ? value : shown;
  } catch {
    return shown;
  }
}

export interface CatalogueView {
  locale: string;
  is_default: boolean;
  messages: Map<string, string>;
}

/** Finds a message in a locale or its parents, as sends do before they fall back to the default. */
export function lookUp(
  catalogues: readonly CatalogueView[],
  locale: string,
  key: string,
): { text: string; from: string } | null {
  for (let name = locale; name !== ''; name = name.replace(/-?[^-]*$/, '')) {
    const text = catalogues.find((each) => each.locale === name)?.messages.get(key);
    if (text !== undefined) return { text, from: name };
  }
  return null;
}
