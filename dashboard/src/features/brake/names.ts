import { brake as text } from '../../strings/brake.ts';
import { common } from '../../strings/common.ts';

/** A channel as people call it; all channels for null. */
export function frozenName(channel: string | null): string {
  return channel === null ? text.allChannels : common.channel(channel);
}

/** A hold as people call it: the key of its rule, or the freeze. */
export function holdName(hold: string): string {
  if (!hold.startsWith('freeze:')) return hold;
  const channel = hold.slice('freeze:'.length);
  return text.freezeOf(frozenName(channel === 'all' ? null : channel));
}
