/** The rendered rows of a long list, and the space of the others. */
export interface Range {
  start: number;
  end: number;
  before: number;
  after: number;
}

/** Sums all heights: a hundred thousand additions take less than a millisecond, so no index is needed. */
export function visibleRange(
  heights: { height: number }[],
  estimate: number,
  top: number,
  viewport: number,
  overscan = 600,
): Range {
  const from = top - overscan;
  const to = top + viewport + overscan;
  let start = 0;
  let end = 0;
  let before = 0;
  let after = 0;
  let offset = 0;
  for (const [index, { height }] of heights.entries()) {
    const size = height || estimate;
    if (offset + size <= from) {
      start = index + 1;
      before += size;
    } else if (offset < to) end = index + 1;
    else after += size;
    offset += size;
  }
  return { start, end: Math.max(start, end), before, after };
}
