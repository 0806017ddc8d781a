/** How many tags HTML can have: its `<`, counted up to one more than the limit. Linear, and nothing is parsed. */
export function countTags(html: string, limit: number): number {
  let count = 0;
  for (let at = html.indexOf('<'); at !== -1 && count <= limit; at = html.indexOf('<', at + 1)) count += 1;
  return count;
}
