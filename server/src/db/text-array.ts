/**
 * A `text[]` in the binary format of PostgreSQL, which needs no parsing. Null when all values are null, which costs nothing,
 * because `unnest` fills short arrays up with nulls. Rows that arrive together have much in common, so a value that all share
 * is written once and copied.
 */
export function textArray(values: readonly (string | null)[]): Buffer | null {
  const [first = null] = values;
  return values.every((value) => value === first) ? sameArray(first, values.length) : mixedArray(values);
}

function sameArray(value: string | null, count: number): Buffer | null {
  if (value === null) return null;
  const element = Buffer.allocUnsafe(4 + 3 * value.length); // the maximum: the rest is cut off below
  const length = element.write(value, 4);
  element.writeInt32BE(length, 0);
  const bytes = Buffer.allocUnsafe(headerSize + count * (4 + length));
  writeHeader(bytes, count);
  return bytes.fill(element.subarray(0, 4 + length), headerSize);
}

function mixedArray(values: readonly (string | null)[]): Buffer {
  let size = headerSize;
  for (const value of values) size += 4 + (value === null ? 0 : 3 * value.length); // the maximum, as above
  const bytes = Buffer.allocUnsafe(size);
  writeHeader(bytes, values.length);
  let at = headerSize;
  for (const value of values) {
    const length = value === null ? -1 : bytes.write(value, at + 4);
    bytes.writeInt32BE(length, at);
    at += 4 + Math.max(0, length);
  }
  return bytes.subarray(0, at);
}

const headerSize = 20;

function writeHeader(bytes: Buffer, count: number): void {
  bytes.writeInt32BE(1, 0); // dimensions
  bytes.writeInt32BE(1, 4); // there may be nulls
  bytes.writeInt32BE(25, 8); // the type of its elements: text
  bytes.writeInt32BE(count, 12);
  bytes.writeInt32BE(1, 16); // the first index
}
