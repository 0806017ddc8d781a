/** A call of the client as source text, for the comment of its method and for the API reference. */
export function exampleOf(call: string, args: unknown[], result: 'list' | 'value' | 'none'): string {
  const given = args.map((arg) => literal(arg)).join(', ');
  if (result === 'list') return `for await (const item of ${call}(${given})) {\n  console.log(item);\n}`;
  return `${result === 'value' ? 'const result = ' : ''}await ${call}(${given});`;
}

/** A JSON value as TypeScript source, in the style of our formatter. */
function literal(value: unknown, indent = ''): string {
  const inner = `${indent}  `;
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) {
    const items = value.map((item) => literal(item, inner));
    const line = `[${items.join(', ')}]`;
    return fits(line) ? line : `[\n${items.map((item) => `${inner}${item},\n`).join('')}${indent}]`;
  }
  if (typeof value !== 'object' || value === null) return String(value);
  const fields = Object.entries(value).map(
    ([name, field]) => `${/^[A-Za-z_]\w*$/.test(name) ? name : quoted(name)}: ${literal(field, inner)}`,
  );
  if (fields.length === 0) return '{}';
  const line = `{ ${fields.join(', ')} }`;
  return fits(line) ? line : `{\n${fields.map((field) => `${inner}${field},\n`).join('')}${indent}}`;
}

function fits(line: string): boolean {
  return line.length <= 70 && !line.includes('\n');
}

function quoted(text: string): string {
  const json = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"');
  return `'${json.replaceAll("'", "\\'")}'`;
}
