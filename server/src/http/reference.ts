import { createHash } from 'node:crypto';
import { describeErrors } from './error-reference.ts';
import { escapeHtml, type Html, html, inline, prose } from './html.ts';
import type { OpenApiDocument, Operation, Parameter, Response } from './openapi-document.ts';
import type { JsonSchema } from './openapi-schemas.ts';
import { meaningOf, resolved, sampleOf, schemaTable, typeOf } from './reference-schema.ts';
import { referenceStyle } from './reference-style.ts';

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
