import { invalidParameter } from '../../../kernel/errors.ts';
import { isRecord } from '../../../kernel/json.ts';
import { isPluralForms, type TranslatedMessage } from '../../../templating/translation.ts';
import { partLimits } from './schema.ts';

const segment = /^[A-Za-z0-9_-]+$/;

/** Throws a Problem that names the key at fault. Returns the dotted keys. */
export function checkCatalogue(messages: Record<string, unknown>): string[] {
  if (JSON.stringify(messages).length > partLimits.source)
    throw invalidParameter('messages', `messages can have at most ${partLimits.source} characters as JSON.`);
  return Object.keys(flattenMessages(messages)).sort();
}

/** Returns the messages by their dotted keys. */
export function flattenMessages(messages: Record<string, unknown>): Record<string, TranslatedMessage> {
  const flat: Record<string, TranslatedMessage> = Object.create(null);
  let found = 0;

  function visit(value: unknown, path: string[]): void {
    const key = path.join('.');
    found += 1;
    if (found > partLimits.messages)
      throw invalidParameter(
        'messages',
        `A locale can have at most ${partLimits.messages} messages and groups.`,
      );
    const fail = (reason: string) => invalidParameter('messages', `messages: ${key} ${reason}.`);
    if (typeof value === 'string' || (path.length > 0 && isRecord(value) && isPluralForms(value))) {
      if (key.length > partLimits.messageKey)
        throw fail(`is longer than ${partLimits.messageKey} characters`);
      for (const text of typeof value === 'string' ? [value] : Object.values(value)) {
        if (typeof text !== 'string') throw fail('must be a text, or plural forms that are texts');
        if (text.length > partLimits.message) throw fail(`is longer than ${partLimits.message} characters`);
      }
      flat[key] = value as TranslatedMessage;
      return;
    }
    if (!isRecord(value)) throw fail('must be a text, or plural forms that are texts');
    if (path.length >= partLimits.depth) throw fail(`is nested more than ${partLimits.depth} levels deep`);
    for (const [name, inner] of Object.entries(value)) {
      if (!segment.test(name))
        throw invalidParameter(
          'messages',
          `messages: ${[...path, name].join('.').slice(0, partLimits.messageKey)}: names consist of letters, digits, “_” and “-”.`,
        );
      visit(inner, [...path, name]);
    }
  }

  visit(messages, []);
  return flat;
}
