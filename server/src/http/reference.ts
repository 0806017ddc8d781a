import { createHash } from 'node:crypto';
import { describeErrors } from './error-reference.ts';
import { escapeHtml, type Html, html, inline, prose } from './html.ts';
import type { OpenApiDocument, Operation, Parameter, Response } from './openapi-document.ts';
import type { JsonSchema } from './openapi-schemas.ts';
import { meaningOf, resolved, sampleOf, schemaTable, typeOf } from './reference-schema.ts';

/** The style of the API reference. One text, because its hash is part of the page's security policy. */
const referenceStyle = `
:root {
  --ground: #ffffff; --panel: #f6f5f1; --ink: #1d1f24; --soft: #5a5f6b; --line: #dedbd2; --link: #7a3b00;
  --code: #f1efe9; --block: #23252b; --block-ink: #f1efe9;
  --get: #0b5e8a; --post: #1e6b34; --put: #7a4b00; --patch: #6a3d9a; --delete: #a11d2b;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #16181d; --panel: #1d2026; --ink: #e7e5df; --soft: #a5a9b3; --line: #343842; --link: #f0b36b;
    --code: #262a32; --block: #0e1013; --block-ink: #e7e5df;
    --get: #7cc4ee; --post: #83d39a; --put: #f0b36b; --patch: #cbaaf0; --delete: #f59aa3;
  }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.6 system-ui, sans-serif; }
a { color: var(--link); text-underline-offset: 0.15em; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 3px; }
:target { scroll-margin-top: 1rem; }
.skip { position: absolute; left: -999rem; }
.skip:focus { left: 1rem; top: 1rem; background: var(--ground); padding: 0.5rem 1rem; z-index: 1; }
nav { background: var(--panel); border-bottom: 1px solid var(--line); padding: 1.5rem; font-size: 0.875rem; }
nav h2 { font-size: 0.875rem; margin: 1.25rem 0 0.25rem; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a { display: block; padding: 0.15rem 0; }
nav a { color: inherit; text-decoration: none; }
nav a:hover { color: var(--link); text-decoration: underline; }
.brand { font-size: 1.125rem; font-weight: 700; margin: 0; }
.brand small { color: var(--soft); font-weight: 400; }
main { padding: 1.5rem; max-width: 60rem; }
h1, h2, h3, h4 { line-height: 1.25; }
h1 { font-size: 2rem; margin: 0.5rem 0 1rem; }
main h2 { font-size: 1.5rem; margin: 3rem 0 1rem; padding-bottom: 0.35rem; border-bottom: 2px solid var(--line); }
h3 { font-size: 1.15rem; margin: 0 0 0.5rem; }
h3 a { color: inherit; text-decoration: none; }
h3 a:hover { text-decoration: underline; }
h4 { font-size: 0.95rem; margin: 1.25rem 0 0.35rem; }
article { margin: 0 0 2rem; padding: 1.25rem; border: 1px solid var(--line); border-radius: 10px; }
article:target { border-color: var(--link); }
.address { margin: 0 0 0.75rem; overflow-wrap: anywhere; }
.method { font: 700 0.75rem/1 ui-monospace, monospace; letter-spacing: 0.04em; color: var(--soft); }
nav .method { display: inline-block; min-width: 3.75rem; }
.get { color: var(--get); } .post { color: var(--post); } .put { color: var(--put); }
.patch { color: var(--patch); } .delete { color: var(--delete); }
.scope { font-size: 0.8rem; border: 1px solid var(--line); border-radius: 999px; padding: 0.1rem 0.6rem; color: var(--soft); }
code { font-family: ui-monospace, monospace; font-size: 0.875em; background: var(--code); padding: 0.1em 0.3em; border-radius: 4px; }
pre { background: var(--block); color: var(--block-ink); border-radius: 8px; padding: 1rem; overflow-x: auto; line-height: 1.45; }
pre code { background: none; padding: 0; color: inherit; }
table { width: 100%; border-collapse: collapse; margin: 0.5rem 0; font-size: 0.9rem; }
caption { text-align: left; font-weight: 600; padding: 0.35rem 0; }
th, td { text-align: left; vertical-align: top; padding: 0.4rem 0.75rem 0.4rem 0; border-top: 1px solid var(--line); overflow-wrap: break-word; }
th { white-space: nowrap; }
td:nth-last-child(2) { min-width: 7.5rem; }
td:last-child { width: 99%; padding-right: 0; }
td:last-child:not([colspan]) { overflow-wrap: anywhere; }
thead th { color: var(--soft); font-weight: 600; border-top: 0; }
tbody th { font-weight: 400; }
th em { color: var(--delete); font-size: 0.75rem; font-style: normal; }
td[colspan] { border-top: 0; padding-left: 0.75rem; }
td table { margin: 0; border-left: 3px solid var(--line); }
td table :is(th:first-child, td[colspan], caption) { padding-left: 0.75rem; }
td table caption { color: var(--soft); }
.limits { color: var(--soft); }
.format { white-space: nowrap; }
dl { display: grid; grid-template-columns: 3.5rem 1fr; gap: 0.25rem 0.75rem; margin: 0; font-size: 0.9rem; }
dt { font-family: ui-monospace, monospace; font-weight: 600; }
dd { margin: 0; min-width: 0; }
@media (min-width: 64rem) {
  body { display: grid; grid-template-columns: 20rem minmax(0, 1fr); }
  nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; border-bottom: 0; border-right: 1px solid var(--line); }
  main { padding: 2rem 3rem; }
}
@media (max-width: 40rem) {
  article { padding: 1rem 0; border-width: 1px 0 0; border-radius: 0; }
  dl { grid-template-columns: minmax(0, 1fr); }
  /* No room for columns: the name and the type of a field stand above its meaning. */
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table, caption, tbody, tr { display: block; }
  tr { padding: 0.4rem 0; border-top: 1px solid var(--line); }
  tr:has(> td[colspan]) { border-top: 0; }
  tbody > tr > :is(th, td) { display: inline; padding: 0 0.5rem 0 0; border: 0; white-space: normal; overflow-wrap: break-word; }
  tbody > tr > td:last-child { display: block; width: auto; padding: 0; }
  td table { padding-left: 0.75rem; }
  td table :is(th:first-child, td[colspan], caption) { padding-left: 0; }
}
`;

/** The page contains everything it needs and runs no script, so the policy forbids everything else. */
export const referenceSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(referenceStyle).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** An operation with its place. */
export interface ReferenceEntry {
  method: string;
  path: string;
  operation: Operation;
}

/** The API reference as one page of HTML: no script, nothing loaded from elsewhere. */
export function referencePage(document: OpenApiDocument): string {
  const { info, components } = document;
  const entries = entriesOf(document);
  const tags = document.tags.map(({ name }) => ({
    name,
    entries: entries.filter((entry) => entry.operation.tags.includes(name)),
  }));
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${info.title} API reference</title>
<style>${{ markup: referenceStyle }}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<nav aria-label="Contents">
<p class="brand"><a href="#content">${info.title}</a> <small>${info.version}</small></p>
${tags.map(tagContents)}
<h2><a href="#errors">Errors</a></h2>
<h2><a href="#schemas">Schemas</a></h2>
</nav>
<main id="content">
<h1>${info.title} API reference</h1>
${prose(info.description)}
<p>The same as a document for machines: <a href="/openapi.json">openapi.json</a>. The guides: <a href="/docs/guide/">/docs/guide</a>.</p>
${tags.map(({ name, entries: listed }) => {
  const operations = listed.map((entry) => operationSection(entry, document));
  return html`<section aria-labelledby="tag-${slug(name)}"><h2 id="tag-${slug(name)}">${name}</h2>${operations}</section>
`;
})}
${errorSection()}
<section aria-labelledby="schemas"><h2 id="schemas">Schemas</h2>
${Object.entries(components.schemas).map(([name, schema]) => schemaSection(name, schema))}
</section>
</main>
</body>
</html>
`.markup;
}

export function entriesOf({ paths }: OpenApiDocument): ReferenceEntry[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

function tagContents({ name, entries }: { name: string; entries: ReferenceEntry[] }): Html {
  const links = entries.map(
    ({ method, operation }) =>
      html`<li><a href="#${operation.operationId}"><span class="method ${method.toLowerCase()}">${method}</span> ${operation.summary}</a></li>
`,
  );
  return html`<h2><a href="#tag-${slug(name)}">${name}</a></h2><ul>${links}</ul>
`;
}

function operationSection(entry: ReferenceEntry, document: OpenApiDocument): Html {
  const { method, path, operation } = entry;
  const body = operation.requestBody?.content['application/json']?.schema;
  return html`<article id="${operation.operationId}" aria-labelledby="${operation.operationId}-title">
<h3 id="${operation.operationId}-title"><a href="#${operation.operationId}">${operation.summary}</a></h3>
<p class="address"><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code>${scopeBadge(operation)}</p>
${prose(operation.description)}
${operation.parameters ? parameterTable(operation.parameters) : null}
${body ? bodySection(body, operation.requestBody?.required ?? true, document.components.schemas) : null}
<h4>Responses</h4>
<dl>${successRows(operation)}${errorRow(operation)}</dl>
<h4>Example</h4>
<pre tabindex="0"><code>${curlOf(entry, document)}</code></pre>
</article>
`;
}

export function scopeBadge(operation: Operation): Html | null {
  const scope = operation['x-required-scope'];
  return scope === undefined ? null : html` <span class="scope">${scope}</span>`;
}

export function parameterTable(parameters: Parameter[]): Html {
  return html`<table><caption>Parameters</caption>
<thead><tr><th scope="col">Name</th><th scope="col">In</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>
<tbody>${parameters.map(
    ({ name, in: where, required, description, schema }) =>
      html`<tr><th scope="row"><code>${name}</code>${required ? html` <em>required</em>` : null}</th><td>${where}</td>
<td>${typeOf(schema)}</td><td>${inline(description ? `${description} ` : '')}${meaningOf(schema)}</td></tr>
`,
  )}</tbody></table>`;
}

/** The body that the caller has to write is shown inline, even when its schema has a name. */
export function bodySection(
  schema: JsonSchema,
  required: boolean,
  schemas: Record<string, JsonSchema>,
): Html {
  const caption = required ? 'Body (JSON)' : 'Body (JSON, optional)';
  return schemaTable(resolved(schema, schemas), caption) ?? html`<p>${caption}: ${typeOf(schema)}</p>`;
}

export function successRows({ responses }: Operation): Html[] {
  return Object.entries(responses).flatMap(([status, response]) =>
    '$ref' in response ? [] : [successRow(status, response)],
  );
}

export function errorRow({ responses }: Operation): Html {
  const errors = Object.keys(responses).filter(
    (status) => status !== 'default' && '$ref' in (responses[status] ?? {}),
  );
  return html`<dt>Errors</dt><dd><a href="#errors">${[...errors, 'others'].join(', ')}</a></dd>`;
}

function successRow(status: string, response: Response): Html {
  const [[type, content] = []] = Object.entries(response.content ?? {});
  if (!content)
    return html`<dt>${status}</dt><dd>${response.description}; no body</dd>
`;
  const shape = schemaTable(content.schema, `Fields of the ${status} response`);
  const kind = type === 'application/json' ? typeOf(content.schema) : html`<code>${type ?? ''}</code>`;
  return html`<dt>${status}</dt><dd>${response.description}: ${kind}${shape}</dd>
`;
}

function errorSection(): Html {
  return html`<section aria-labelledby="errors"><h2 id="errors">Errors</h2>
<p>Every error has the shape of <a href="#schema-Error">Error</a>.</p>
<table><caption>Codes</caption>
<thead><tr><th scope="col">Code</th><th scope="col">Status</th><th scope="col">When</th></tr></thead>
<tbody>${describeErrors().map(
    ({ code, status, meaning }) =>
      html`<tr><th scope="row"><code>${code}</code></th><td>${status}</td><td>${inline(meaning)}</td></tr>
`,
  )}</tbody></table></section>`;
}

export function schemaSection(name: string, schema: JsonSchema): Html {
  return html`<article id="schema-${name}"><h3><a href="#schema-${name}">${name}</a></h3>
${typeof schema.description === 'string' ? prose(schema.description) : null}
${schemaTable(schema, `Fields of ${name}`) ?? html`<p>${typeOf(schema)} ${meaningOf(schema)}</p>`}
</article>
`;
}

export function curlOf(
  { method, path, operation }: ReferenceEntry,
  { servers, components }: OpenApiDocument,
): string {
  const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
  const address = inPath.reduce(
    (text, { name, schema }) => text.replace(`{${name}}`, String(sampleOf(schema, components.schemas))),
    path,
  );
  const lines = [`curl${method === 'GET' ? '' : ` -X ${method}`} ${servers[0]?.url ?? ''}${address}`];
  const [security] = operation.security;
  if (security && 'api_key' in security) lines.push('-H "Authorization: Bearer $CARILLON_API_KEY"');
  else if (security) lines.push('-H "Cookie: carillon_session=$CARILLON_SESSION"');
  const body = operation.requestBody?.content['application/json']?.schema;
  if (body) {
    const sample = JSON.stringify(sampleOf(body, components.schemas), null, 2);
    lines.push('-H "Content-Type: application/json"', `-d '${sample.replaceAll("'", "'\\''")}'`);
  }
  return lines.join(' \\\n  ');
}

function slug(text: string): string {
  return escapeHtml(text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'));
}
