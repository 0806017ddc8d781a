import { brake as text } from '../../strings/brake.ts';

/** A hold as people call it: the key of its rule, or the freeze. */
export function holdName(hold: string): string {
  if (!hold.startsWith('freeze:')) return hold;
  const channel = hold.slice('freeze:'.length);
  return text.freezeOf(channel === 'all' ? text.allChannels : channel);
}
