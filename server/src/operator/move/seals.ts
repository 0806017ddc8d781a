import { keyIdOf, type SealAgain, type SealedColumn } from '../../db/reseal.ts';
import type { Keyring } from '../../kernel/crypto.ts';

/**
 * Seals the secrets in a row with another key: those of the file are sealed with a key of its own, so neither installation needs the
 * key of the other. A value whose key is lost stays as it is, and is as useless at the target.
 */
export function createResealer(columns: readonly SealedColumn[], from: Keyring, to: Keyring) {
  let unopened = 0;
  const again: SealAgain = (sealed, context) => {
    if (!from.ids.includes(keyIdOf(sealed))) {
      unopened += 1;
      return sealed;
    }
    return to.seal(from.open(sealed, context), context);
  };
  return {
    row(table: string, json: string): string {
      const sealed = columns.filter((column) => column.table === table);
      if (sealed.length === 0) return json;
      const row = JSON.parse(json) as Record<string, unknown>;
      const texts = Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value)]));
      for (const { column, reseal } of sealed) {
        if (row[column] !== null) row[column] = reseal(row[column], texts, again);
      }
      return JSON.stringify(row);
    },
    /** The number of values whose key is not configured. */
    unopened: () => unopened,
  };
}

export type Resealer = ReturnType<typeof createResealer>;
