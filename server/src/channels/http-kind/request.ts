import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { Problem } from '../../kernel/errors.ts';
import { type Budget, createBudget } from '../../templating/budget.ts';
import { type CompiledTemplate, compile, type Flavour } from '../../templating/compile.ts';
import { TemplateFault } from '../../templating/fault.ts';
import { withinEffort } from '../../templating/watchdog.ts';
import { countedTask, type Effort, runCounted } from '../../threads/effort.ts';
import { inPlace, type TaskRunner } from '../../threads/task.ts';
import type { ApiRequest } from '../api.ts';
import type { ProviderConfig } from '../contract.ts';
import { hasTags, mapOf, originOf, textOf } from './settings.ts';

/** The values that templates may use. */
export type Variables = Record<string, unknown>;

interface RequestInput {
  url: string;
  headers: Record<string, string>;
  form: Record<string, string> | null;
  body: string | null;
  variables: Variables;
}

type RenderedRequest = Pick<ApiRequest, 'url'> & { headers: Record<string, string>; body: string | null };

const maxUrl = 8_000;
export const maxHeader = 8_000;
const maxBody = 2_000_000;
/** Of all attachments in one body; small ones may be written more often. */
const maxCopies = 2;
const keptCharacters = 1_000_000;
/** Encoding takes as many times as long as reading. */
const encodingFactor = 8;
const compiled = new LRUCache<string, CompiledTemplate>({ maxSize: keptCharacters });

/** Renders a request; data can shape neither the URL, nor a header, nor the structure of the body. */
export const requestTask = countedTask(
  'render_http_request',
  ({ url, headers, form, body, variables }: RequestInput, effort: Effort): RenderedRequest =>
    withinEffort(effort, () => {
      const budget = createBudget(effort);
      const render = (source: string, flavour: Flavour, data: Variables, limit: number): string => {
        const key = `${flavour} ${source}`;
        let template = compiled.get(key);
        try {
          if (!template) {
            budget.useForReading(source);
            template = compile(source, flavour, { locale: null });
            compiled.set(key, template, { size: key.length });
          }
          return template.render(data, budget, limit);
        } catch (error) {
          throw error instanceof TemplateFault ? unrenderable(error.message) : error;
        }
      };
      const textOfEach = (templates: Record<string, string>, limit: number): [string, string][] =>
        Object.entries(templates).map(([name, source]) => [name, render(source, 'text', variables, limit)]);
      return {
        url: hasTags(url) ? render(url, 'text', encoded(variablesIn(url, variables), budget), maxUrl) : url,
        headers: Object.fromEntries(textOfEach(headers, maxHeader)),
        body: form
          ? new URLSearchParams(textOfEach(form, maxBody)).toString()
          : body === null
            ? null
            : checkedJson(render(body, 'json', variables, maxBody)),
      };
    }),
);

/** The request for one message. Throws a Problem when the settings cannot make one of it. */
export async function requestFor(
  config: ProviderConfig,
  variables: Variables,
  files: readonly Buffer[],
  { tasks = inPlace, owner }: { tasks?: TaskRunner | undefined; owner: string },
): Promise<ApiRequest> {
  const url = String(config.url);
  const form = mapOf(config, 'form');
  const hasForm = Object.keys(form).length > 0;
  const inserts = new FileInserts(files);
  const rendered = await runCounted(tasks, requestTask, owner, {
    url,
    headers: mapOf(config, 'headers'),
    form: hasForm ? form : null,
    body: textOf(config, 'body'),
    variables: inserts.placedIn(variables),
  });
  // The data is encoded, so this can only fail for a template that decodes it again.
  if (originOf(rendered.url) !== originOf(url) || !URL.canParse(rendered.url))
    throw unrenderable('the url does not render to a URL on the same host');
  if (rendered.url !== url && hasDotSegment(rendered.url))
    throw unrenderable('the path of the url renders to a segment . or ..');
  const contentType = hasForm ? 'application/x-www-form-urlencoded' : 'application/json';
  return {
    method: (textOf(config, 'method') ?? 'POST') as ApiRequest['method'],
    url: rendered.url,
    headers: {
      ...(rendered.body === null ? {} : { 'content-type': contentType }),
      ...safeHeaders(rendered.headers),
    },
    ...(rendered.body === null ? {} : { body: inserts.into(rendered.body) }),
  };
}

/** The encoding of a URL leaves dots as they are, and a segment of dots would lead to another path. */
function hasDotSegment(url: string): boolean {
  const [path = ''] = url.replace(/[\t\r\n]/g, '').split(/[?#]/, 1);
  return path.split(/[/\\]/).some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment));
}

/** The variables whose names are in the tags of a template, so that the others cost nothing. */
function variablesIn(source: string, variables: Variables): Variables {
  const tags = source.match(/\{[{%].*?[%}]\}/gs)?.join(' ') ?? '';
  return Object.fromEntries(Object.entries(variables).filter(([name]) => tags.includes(name)));
}

/** Variables of a URL are encoded before they are rendered; lists and objects have no place in one. */
function encoded(variables: Variables, budget: Budget): Variables {
  budget.useFor(variables, encodingFactor);
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) =>
      typeof value === 'string' || typeof value === 'number'
        ? [[name, encodeURIComponent(String(value).toWellFormed())]]
        : [],
    ),
  );
}

/** A Problem comes back from a thread as such, unlike the errors of templates. */
const unrenderable = (message: string): Problem => new Problem('parameter_invalid', message);

function checkedJson(text: string): string {
  try {
    JSON.parse(text);
    return text;
  } catch {
    throw unrenderable('the body does not render to JSON');
  }
}

/** Names are in lower case, so that a header of ours is replaced, not repeated. */
export function safeHeaders(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const line = value.replace(/\p{Cc}+/gu, ' ').trim();
      if (/[^\x20-\x7e\x80-\xff]/.test(line))
        throw unrenderable(`the header ${name} has characters that HTTP does not allow`);
      return [name.toLowerCase(), line];
    }),
  );
}

/**
 * Files stand in the variables as short marks and enter the body after it was rendered: base64 needs no escaping in JSON, and
 * megabytes of it would exceed the budget of a template. A form encodes them itself, so it gets no files.
 */
class FileInserts {
  readonly #files: readonly Buffer[];
  readonly #mark = `file-${randomBytes(16).toString('hex')}-`;

  constructor(files: readonly Buffer[]) {
    this.#files = files;
  }

  placedIn(variables: Variables): Variables {
    const { attachments } = variables;
    if (!Array.isArray(attachments) || attachments.length === 0) return variables;
    const marked = attachments.map((file: object, index) => ({ ...file, content: `${this.#mark}${index}.` }));
    return { ...variables, attachments: marked };
  }

  /** A template may write a file several times, within a bound: each mark is short, and a file has megabytes. */
  into(body: string): string {
    const [start = '', ...parts] = body.split(this.#mark);
    const places = parts.map((part) => {
      const end = part.indexOf('.');
      return { file: this.#files[Number(part.slice(0, end))], rest: part.slice(end + 1) };
    });
    const length = sum(places.map(({ file }) => base64Length(file)));
    if (length > maxBody + maxCopies * sum(this.#files.map(base64Length)))
      throw unrenderable('the attachments are written too often');
    const texts = new Map([...new Set(places.map(({ file }) => file))].map((file) => [file, base64Of(file)]));
    return start + places.map(({ file, rest }) => texts.get(file) + rest).join('');
  }
}

const base64Length = (file: Buffer | undefined): number => 4 * Math.ceil((file?.length ?? 0) / 3);
const base64Of = (file: Buffer | undefined): string => file?.toString('base64') ?? '';
const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);
