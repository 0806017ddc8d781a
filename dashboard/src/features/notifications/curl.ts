/** The variable stands for the key: nobody can read one back, and none belongs into a clipboard. */
const authorization = '-H "Authorization: Bearer $CARILLON_API_KEY"';

export function curlGet(path: string, params: object = {}): string {
  const query = new URLSearchParams(
    Object.entries(params).map(([name, value]) => [name, String(value)]),
  ).toString();
  return `curl ${authorization} ${quoted(`${location.origin}${path}${query && `?${query}`}`)}`;
}

export function curlPost(path: string, body: unknown): string {
  return [
    `curl ${quoted(`${location.origin}${path}`)}`,
    `  ${authorization}`,
    '  -H "Content-Type: application/json"',
    `  -d ${quoted(JSON.stringify(body, null, 2))}`,
  ].join(' \\\n');
}

/** As one word of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
