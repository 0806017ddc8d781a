import type { Channel } from '../../../channels/contract.ts';
import type { PreferenceSource } from './schema.ts';

/** The stored preference of a user for one channel of a category. */
export interface Cell {
  opted_in: boolean;
  source: Exclude<PreferenceSource, 'default'>;
}

/**
 * The user's preference, or else the default of the category: on when the category is opted in by default and lists the
 * channel.
 */
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
