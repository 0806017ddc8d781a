import { type Html, html } from '../server/src/http/html.ts';
import type { OpenApiDocument } from '../server/src/http/openapi-document.ts';
import {
  bodySection,
  curlOf,
  entriesOf,
  errorRow,
  parameterTable,
  type ReferenceEntry,
  schemaSection,
  scopeBadge,
  successRows,
} from '../server/src/http/reference.ts';
import { typescriptOf } from './typescript-sample.ts';

/** The pages of the API reference: an index, one page for each tag, and the schemas. Maps paths below `api/` to Markdown. */
export function apiReference(document: OpenApiDocument): Record<string, string> {
  const entries = entriesOf(document);
  const tags = document.tags.map(({ name }) => ({
    name,
    page: `${slug(name)}.md`,
    entries: entries.filter(({ operation }) => operation.tags.includes(name)),
  }));
  const index = [
    '# API reference',
    document.info.description,
    'The same as a document for programs: `/openapi.json` of a running service.',
    ...tags.map(({ name, page, entries: listed }) =>
      [
        `## ${name}\n`,
        ...listed.map(
          ({ method, path, operation }) =>
            `- [${operation.summary}](${page}#${operation.operationId}): \`${method} ${path}\``,
        ),
      ].join('\n'),
    ),
  ];
  const pages = tags.map(({ name, page, entries: listed }) => [
    page,
    [`# ${name} {#top}`, ...listed.map((entry) => operationSection(entry, document))].join('\n\n'),
  ]);
  const schemas = Object.entries(document.components.schemas).map(([name, schema]) =>
    markup([schemaSection(name, schema)]),
  );
  return {
    'index.md': index.join('\n\n'),
    ...Object.fromEntries(pages),
    'schemas.md': ['# Schemas', ...schemas].join('\n\n'),
  };
}

/** Titles and addresses of the pages, for the sidebar. */
export function apiPages(document: OpenApiDocument): { title: string; page: string }[] {
  return [
    ...document.tags.map(({ name }) => ({ title: name, page: `${slug(name)}.md` })),
    { title: 'Schemas', page: 'schemas.md' },
  ];
}

function operationSection(entry: ReferenceEntry, document: OpenApiDocument): string {
  const { method, path, operation } = entry;
  const body = operation.requestBody?.content['application/json']?.schema;
  const typescript = typescriptOf(entry, document);
  return [
    `## ${operation.summary} {#${operation.operationId}}`,
    markup([
      html`<p class="address"><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code>${scopeBadge(operation)}</p>`,
    ]),
    operation.description,
    operation.parameters ? markup([parameterTable(operation.parameters)]) : '',
    body
      ? markup([bodySection(body, operation.requestBody?.required ?? true, document.components.schemas)])
      : '',
    markup([html`<dl>${successRows(operation)}${errorRow(operation)}</dl>`]),
    `\`\`\`sh\n${curlOf(entry, document)}\n\`\`\``,
    typescript ? `\`\`\`ts\n${typescript}\n\`\`\`` : '',
  ]
    .filter(Boolean)
    .join('\n\n');
}

/**
 * Markup for a Markdown page, where a blank line would end it. Links to schemas and errors, which are on the same page at
 * /docs, lead to their own pages here.
 */
function markup(parts: Html[]): string {
  const text = parts
    .map((part) => part.markup)
    .join('')
    .replaceAll(/\n\s*\n/g, '\n')
    .replaceAll('href="#schema-', 'href="schemas.html#schema-')
    .replaceAll('href="#errors"', 'href="../errors.html"');
  return text.trim();
}

function slug(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}
