let last = { ms: 0, text: new Date(0).toISOString() };

/** The ISO form of a moment. The last one is kept, because formatting costs more than most of what happens in that millisecond. */
export function isoTime(ms: number): string {
  if (last.ms !== ms) last = { ms, text: new Date(ms).toISOString() };
  return last.text;
}
