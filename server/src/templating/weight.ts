const openings = /\{[{%]/g;
/** A tag costs about as much as this many characters within it. */
const tagWeight = 10;

/** The cost of parsing a template: the characters of its tags and outputs count, the text between them does not. */
export function weightOf(source: string): number {
  let weight = 0;
  openings.lastIndex = 0;
  for (let found = openings.exec(source); found; found = openings.exec(source)) {
    const closing = source.indexOf(found[0] === '{{' ? '}}' : '%}', found.index);
    if (closing === -1) return weight + source.length - found.index;
    weight += tagWeight + closing - found.index;
    openings.lastIndex = closing;
  }
  return weight;
}
