import { headerNameProblem } from '../../kernel/header-name.ts';
import { weightOf } from '../../templating/budget.ts';
import { compile, type Flavour, usesOfName } from '../../templating/compile.ts';
import { TemplateFault } from '../../templating/fault.ts';
import type { CompletedConfig, ProviderConfig } from '../contract.ts';
import type { CodeMeaning } from '../outcomes.ts';
import { callbackStatuses, errorClasses, pointerFields } from './fields.ts';
import { pointerProblem } from './pointer.ts';

/** Parsing takes some 0.7 µs for each unit of weight, on the event loop, and a chain has up to ten of these. */
const maxWeight = 5_000;
/** The host must not depend on a message: only the part after it may have variables. */
const fixedOrigin = /^https?:\/\/[^\s/?#{}@\\]+(?=[/?#]|$)/i;
/** What templates may do with the secret: the service masks it in these forms, and would show a part of it. */
const secretFilters = ['append', 'prepend', 'base64_encode', 'url_encode', 'cgi_escape', 'uri_escape'];
/** Headers that usually hold a credential. */
const credentialName = /auth|token|key|secret|password|cookie/i;

/** Returns the texts of a map, and null for anything else. */
export function mapOf(config: ProviderConfig, name: string): Record<string, string> {
  const value = config[name];
  return typeof value === 'object' && value !== null ? value : {};
}

export function textOf(config: ProviderConfig, name: string): string | null {
  const value = config[name];
  return typeof value === 'string' && value !== '' ? value : null;
}

/** True for a template, false for a text that renders to itself. */
export function hasTags(source: string): boolean {
  return /\{[{%]/.test(source);
}

export function originOf(url: string): string | null {
  return fixedOrigin.exec(url)?.[0]?.toLowerCase() ?? null;
}

/** Checks every setting, and compiles every template once. */
export function completeHttpConfig(config: ProviderConfig): CompletedConfig {
  const wrong = [
    ...urlProblems(config),
    ...bodyProblems(config),
    ...headerProblems(config),
    ...templateProblems(config),
    ...ruleProblems(config),
    ...callbackProblems(config),
  ][0];
  return wrong ? { field: wrong[0], problem: wrong[1] } : { config };
}

type Problems = Generator<[field: string, problem: string]>;

function* urlProblems(config: ProviderConfig): Problems {
  const url = String(config.url);
  const origin = originOf(url);
  if (!origin || !URL.canParse(origin) || /\s/.test(url.replace(/\{[{%].*?[%}]\}/g, '')))
    yield ['url', 'must be an http or https URL with a fixed host, and without a user name'];
  const check = textOf(config, 'check_url');
  if (check !== null && (originOf(check) !== origin || !URL.canParse(check) || check.includes('{')))
    yield ['check_url', 'must be a URL on the same host as url, without variables'];
}

function* bodyProblems(config: ProviderConfig): Problems {
  if (config.body && config.form) yield ['form', 'cannot be used together with body'];
  const withBody = config.body ? 'body' : 'form';
  if (config.method === 'GET' && config[withBody]) yield [withBody, 'cannot be sent with the method GET'];
}

function* headerProblems(config: ProviderConfig): Problems {
  for (const [name, value] of Object.entries(mapOf(config, 'headers'))) {
    const problem = headerNameProblem(name);
    if (problem) yield ['headers', `must not have ${JSON.stringify(name)}, which ${problem}`];
    // Headers are shown to everyone who can read the settings.
    if (credentialName.test(name) && !value.includes('{{'))
      yield ['headers', `must not hold a credential in ${name}: enter it in secret, and write {{ secret }}`];
  }
}

/** The templates of the settings, each with the field that it is in. */
function templatesOf(config: ProviderConfig): { field: string; source: string; flavour: Flavour }[] {
  const texts = (field: string) =>
    Object.values(mapOf(config, field)).map((source) => ({ field, source, flavour: 'text' as const }));
  const body = textOf(config, 'body');
  return [
    { field: 'url', source: String(config.url), flavour: 'text' },
    ...texts('headers'),
    ...texts('form'),
    ...(body === null ? [] : [{ field: 'body', source: body, flavour: 'json' as const }]),
  ];
}

function* templateProblems(config: ProviderConfig): Problems {
  let weight = 0;
  for (const { field, source, flavour } of templatesOf(config)) {
    if (!hasTags(source)) continue;
    weight += weightOf(source);
    if (weight > maxWeight) return yield [field, 'is too long, together with the other templates'];
    try {
      compile(source, flavour, { locale: null });
      const secretProblem = problemWithSecret(source, flavour);
      if (secretProblem) return yield [field, secretProblem];
    } catch (error) {
      if (!(error instanceof TemplateFault)) throw error;
      yield [field, `is not a valid template: ${error.message}`];
    }
  }
}

function problemWithSecret(source: string, flavour: Flavour): string | null {
  for (const use of usesOfName(source, flavour, 'secret')) {
    if (use.in === 'tag' || use.in === 'captured')
      return 'must not use secret in a tag: write {{ secret }} where it belongs';
    if (use.in === 'output' && !use.isWhole) return 'must not use a part of secret: write {{ secret }}';
    const unknown = use.filters.find((name) => !secretFilters.includes(name));
    if (unknown !== undefined)
      return `must not use the filter ${unknown} on secret; ${secretFilters.join(', ')} are possible`;
  }
  return null;
}

function* ruleProblems(config: ProviderConfig): Problems {
  const statuses = textOf(config, 'success_statuses');
  if (statuses !== null && !statusRanges(statuses))
    yield ['success_statuses', 'must be statuses or ranges such as 200, 202 or 200-299'];
  if (config.success_value && !config.success_pointer) yield ['success_value', 'needs a success_pointer'];
  for (const field of pointerFields) {
    const pointer = textOf(config, field);
    const problem = pointer === null ? null : pointerProblem(pointer);
    if (problem) yield [field, problem];
  }
  yield* wordProblems(config, 'error_classes', errorClasses);
  yield* wordProblems(config, 'callback_statuses', callbackStatuses);
}

function* wordProblems(config: ProviderConfig, field: string, words: readonly string[]): Problems {
  for (const [name, word] of Object.entries(mapOf(config, field)))
    if (!words.includes(word))
      yield [field, `must have one of ${words.join(', ')} for ${JSON.stringify(name)}`];
}

function* callbackProblems(config: ProviderConfig): Problems {
  const auth = textOf(config, 'callback_auth');
  if (auth === null) return;
  if (auth !== 'url' && !config.callback_header) yield ['callback_header', `is required with ${auth}`];
  if (auth !== 'url' && !config.callback_secret) yield ['callback_secret', `is required with ${auth}`];
  if (config.callback_secret && String(config.callback_secret).length < 8)
    yield ['callback_secret', 'must have at least 8 characters'];
  for (const field of ['callback_status_pointer', 'callback_statuses'])
    if (!config[field]) yield [field, 'is required for callbacks'];
}

/** Returns null when the text is not a list of statuses and ranges. */
export function statusRanges(given: string): [from: number, to: number][] | null {
  const parts = given.split(',').map((part) => /^\s*([1-5]\d\d)(?:\s*-\s*([1-5]\d\d))?\s*$/.exec(part));
  if (parts.some((part) => part === null)) return null;
  return parts.map((part) => [Number(part?.[1]), Number(part?.[2] ?? part?.[1])]);
}

/** The class of an error by its code, its status, or the family of its status; null when none is set. */
export function errorClassOf(
  config: ProviderConfig,
  status: number,
  code: string | null,
): CodeMeaning | null {
  const classes = mapOf(config, 'error_classes');
  const names = [...(code === null ? [] : [code]), String(status), `${Math.floor(status / 100)}xx`];
  const name = names.find((each) => Object.hasOwn(classes, each));
  return name === undefined ? null : (classes[name] as CodeMeaning);
}
