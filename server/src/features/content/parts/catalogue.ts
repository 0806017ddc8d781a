import { invalidParameter } from '../../../kernel/errors.ts';
import { isRecord } from '../../../kernel/json.ts';
import { isPluralForms, type TranslatedMessage } from '../../../templating/translation.ts';
import { limits } from './schema.ts';

const segment = /^[A-Za-z0-9_-]+$/;

/** Throws a Problem that names the key at fault. Returns the dotted keys. */
export function checkCatalogue(messages: Record<string, unknown>): string[] {
  if (JSON.stringify(messages).length > limits.source)
    throw invalidParameter('messages', `messages can have at most ${limits.source} characters as JSON.`);
  return Object.keys(flattenMessages(messages)).sort();
}

/** Returns the messages by their dotted keys. */
export function flattenMessages(messages: Record<string, unknown>): Record<string, TranslatedMessage> {
  const flat: Record<string, TranslatedMessage> = Object.create(null);
  let found = 0;

  function visit(value: unknown, path: string[]): void {
    const key = path.join('.');
    found += 1;
    if (found > limits.messages)
      throw invalidParameter('messages', `A locale can have at most ${limits.messages} messages and groups.`);
    const fail = (reason: string) => invalidParameter('messages', `messages: ${key} ${reason}.`);
    if (typeof value === 'string' || (path.length > 0 && isRecord(value) && isPluralForms(value))) {
      if (key.length > limits.messageKey) throw fail(`is longer than ${limits.messageKey} characters`);
      for (const text of typeof value === 'string' ? [value] : Object.values(value)) {
        if (typeof text !== 'string') throw fail('must be a text, or plural forms that are texts');
        if (text.length > limits.message) throw fail(`is longer than ${limits.message} characters`);
      }
      flat[key] = value as TranslatedMessage;
      return;
    }
    if (!isRecord(value)) throw fail('must be a text, or plural forms that are texts');
    if (path.length >= limits.depth) throw fail(`is nested more than ${limits.depth} levels deep`);
    for (const [name, inner] of Object.entries(value)) {
      if (!segment.test(name))
        throw invalidParameter(
          'messages',
          `messages: ${[...path, name].join('.').slice(0, limits.messageKey)}: names consist of letters, digits, “_” and “-”.`,
        );
      visit(inner, [...path, name]);
    }
  }

  visit(messages, []);
  return flat;
}
