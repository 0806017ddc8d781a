interface DiffLine {
  mark: ' ' | '+' | '-' | '@';
  text: string;
}

const context = 3;
/** Beyond this many comparisons the parts between equal ends are shown as replaced as a whole. */
const mostComparisons = 4_000_000;

/** The lines that differ with a few around them; `@` tells that some were left out. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [one, other] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < one.length && start < other.length && one[start] === other[start]) start++;
  let end = 0;
  while (
    end < one.length - start &&
    end < other.length - start &&
    one[one.length - 1 - end] === other[other.length - 1 - end]
  )
    end++;
  const kept = (text: string): DiffLine => ({ mark: ' ', text });
  return shortened([
    ...one.slice(0, start).map(kept),
    ...between(one.slice(start, one.length - end), other.slice(start, other.length - end)),
    ...one.slice(one.length - end).map(kept),
  ]);
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function between(one: string[], other: string[]): DiffLine[] {
  const removed = (text: string): DiffLine => ({ mark: '-', text });
  const added = (text: string): DiffLine => ({ mark: '+', text });
  if (one.length * other.length > mostComparisons) return [...one.map(removed), ...other.map(added)];
  // lengths[i][j]: the longest common sequence of one from i and other from j.
  const lengths = Array.from({ length: one.length + 1 }, () => new Uint32Array(other.length + 1));
  const at = (i: number, j: number): number => lengths[i]?.[j] ?? 0;
  for (let i = one.length - 1; i >= 0; i--) {
    const row = lengths[i] as Uint32Array;
    for (let j = other.length - 1; j >= 0; j--)
      row[j] = one[i] === other[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < one.length || j < other.length) {
    if (i < one.length && j < other.length && one[i] === other[j]) {
      lines.push({ mark: ' ', text: one[i++] ?? '' });
      j++;
    } else if (i < one.length && (j === other.length || at(i + 1, j) >= at(i, j + 1)))
      lines.push(removed(one[i++] ?? ''));
    else lines.push(added(other[j++] ?? ''));
  }
  return lines;
}

function shortened(lines: DiffLine[]): DiffLine[] {
  const near = new Set<number>();
  for (const [index, { mark }] of lines.entries()) {
    if (mark === ' ') continue;
    for (let each = index - context; each <= index + context; each++) near.add(each);
  }
  const shown: DiffLine[] = [];
  for (const [index, line] of lines.entries()) {
    if (near.has(index)) shown.push(line);
    else if (shown.at(-1)?.mark !== '@') shown.push({ mark: '@', text: '…' });
  }
  return shown;
}
