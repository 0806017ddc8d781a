// A source map is read when the first stack trace is logged, and then stays in memory. One that knows every word of the bundle has
// 650,000 entries, which took a second and 66 MB. The line that something stands on is all that a trace needs.

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const digitValues = new Uint8Array(128);
for (const [value, digit] of [...digits].entries()) digitValues[digit.charCodeAt(0)] = value;
const comma = ','.charCodeAt(0);

/** The same map with one entry for each line of a source, and one for the beginning of each line of the bundle. */
export function linesOnly(text) {
  const map = JSON.parse(text);
  // An entry: a column of the bundle, and a source, line and column there. Each is told by its distance from the one before.
  const read = [0, 0, 0, 0];
  const written = [0, 0, 0, 0];
  const lines = map.mappings.split(';').map((line) => {
    [read[0], written[0]] = [0, 0];
    let [source, sourceLine] = [-1, -1];
    let kept = '';
    for (let at = 0; at < line.length; at += 1) {
      let field = 0;
      for (; at < line.length && line.charCodeAt(at) !== comma; field += 1)
        at = addNumber(line, at, field, read);
      const isNowhere = field === 1; // text of the bundler's own
      if (!isNowhere && read[1] === source && read[2] === sourceLine) continue;
      [source, sourceLine] = isNowhere ? [-1, -1] : [read[1], read[2]];
      if (kept !== '') kept += ',';
      for (let index = 0; index < (isNowhere ? 1 : 4); index += 1) {
        kept += encode(read[index] - written[index]);
        written[index] = read[index];
      }
    }
    return kept;
  });
  return JSON.stringify({ ...map, names: [], mappings: lines.join(';') });
}

/** Numbers are in base 64, five bits a digit, the sixth for “there is more”; their lowest bit is the sign. Returns its end. */
function addNumber(line, start, field, sums) {
  let number = 0;
  for (let at = start, shift = 0; ; at += 1, shift += 5) {
    const value = digitValues[line.charCodeAt(at)];
    number |= (value & 31) << shift;
    if (value & 32) continue;
    if (field < sums.length) sums[field] += number & 1 ? -(number >> 1) : number >> 1;
    return at + 1;
  }
}

function encode(number) {
  let text = '';
  let rest = number < 0 ? (-number << 1) | 1 : number << 1;
  do {
    text += digits[(rest & 31) | (rest > 31 ? 32 : 0)];
    rest >>>= 5;
  } while (rest > 0);
  return text;
}
