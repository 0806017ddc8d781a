import type { Channel } from '../../channels/contract.ts';
import type { PreferenceSource } from './schema.ts';

/** What a user decided about one channel of a category. */
export interface Cell {
  opted_in: boolean;
  source: Exclude<PreferenceSource, 'default'>;
}

/** The user's own word, else what the category says: on, if it is opted in by default and the channel is one of its own. */
export function effectiveOf(
  category: { default_opt_in: boolean; default_channels: readonly Channel[] },
  channel: Channel,
  cell: Cell | null,
): { opted_in: boolean; source: PreferenceSource } {
  if (cell) return { opted_in: cell.opted_in, source: cell.source };
  return {
    opted_in: category.default_opt_in && category.default_channels.includes(channel),
    source: 'default',
  };
}
