/**
 * A `text[]` as PostgreSQL reads it without parsing: the binary format of an array. Null when there is nothing in it but nulls,
 * which costs nothing at all, for `unnest` fills short arrays up with nulls.
 */
export function textArray(values: readonly (string | null)[]): Buffer | null {
  let size = 20;
  let isEmpty = true;
  for (const value of values) {
    size += 4;
    if (value === null) continue;
    size += 3 * value.length; // at most: what is not needed is cut off below
    isEmpty = false;
  }
  if (isEmpty) return null;
  const bytes = Buffer.allocUnsafe(size);
  bytes.writeInt32BE(1, 0); // dimensions
  bytes.writeInt32BE(1, 4); // there may be nulls
  bytes.writeInt32BE(25, 8); // the type of its elements: text
  bytes.writeInt32BE(values.length, 12);
  bytes.writeInt32BE(1, 16); // the first index
  let at = 20;
  for (const value of values) {
    const length = value === null ? -1 : bytes.write(value, at + 4);
    bytes.writeInt32BE(length, at);
    at += 4 + Math.max(0, length);
  }
  return bytes.subarray(0, at);
}
