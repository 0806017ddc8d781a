/** A variable stands for the key: keys cannot be read back and do not belong in a clipboard. */
const authorization = '-H "Authorization: Bearer $CARILLON_API_KEY"';

export function curlGet(path: string, params: object = {}): string {
  const query = new URLSearchParams(
    Object.entries(params).map(([name, value]) => [name, String(value)]),
  ).toString();
  return `curl ${authorization} ${shellQuote(`${location.origin}${path}${query && `?${query}`}`)}`;
}

export function curlPost(path: string, body: unknown): string {
  return [
    `curl ${shellQuote(`${location.origin}${path}`)}`,
    `  ${authorization}`,
    '  -H "Content-Type: application/json"',
    `  -d ${shellQuote(JSON.stringify(body, null, 2))}`,
  ].join(' \\\n');
}

/** Quotes a text as one word of a POSIX shell. */
export function shellQuote(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`;
}
