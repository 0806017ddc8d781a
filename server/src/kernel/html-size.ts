/** An upper bound for the number of tags in HTML: its `<`, counted up to one more than the limit. Linear, without parsing. */
export function countTags(html: string, limit: number): number {
  let count = 0;
  for (let at = html.indexOf('<'); at !== -1 && count <= limit; at = html.indexOf('<', at + 1)) count += 1;
  return count;
}

/** An upper bound for the number of fields in a form: its `&`, counted up to one more than the limit. Linear, without parsing. */
export function countFields(form: string, limit: number): number {
  let count = 1;
  for (let at = form.indexOf('&'); at !== -1 && count <= limit; at = form.indexOf('&', at + 1)) count += 1;
  return count;
}
