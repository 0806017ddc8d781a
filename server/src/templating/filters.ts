import { filters as all, type Filter, type FilterImplOptions } from 'liquidjs';
import { type Budget, budgetOf, type FilterThis } from './budget.ts';
import { date, dateToRfc822, dateToXmlschema } from './dates.ts';
import { VerifiedText } from './marks.ts';
import { escapeHtml, SafeHtml, toText } from './text.ts';
import { translate, translateHtml } from './translation.ts';

/**
 * The filters of standard Liquid, and a few that every dialect has. Left out of those in liquidjs: filters that parse an
 * expression at run time, that nest lists in lists, and that are random (a rendering must be repeatable).
 */
const allowed = `
  abs at_least at_most ceil divided_by floor minus modulo plus round times
  append capitalize downcase lstrip prepend remove remove_first remove_last replace replace_first replace_last rstrip slice
  split squish strip strip_newlines truncate truncatewords upcase array_to_sentence_string number_of_words slugify
  escape escape_once newline_to_br strip_html xml_escape
  url_decode url_encode cgi_escape uri_escape base64_encode base64_decode sha256
  compact concat find find_index first group_by has join last map reject reverse size sort sort_natural sum uniq where
  date date_to_rfc822 date_to_xmlschema default json to_integer`
  .trim()
  .split(/\s+/);

/** These filters parse a property path from a string; a range in it would escape the bounds of ranges.ts. */
const readPaths: ReadonlySet<string> = new Set(['find', 'find_index', 'group_by', 'has', 'reject', 'where']);

/** These filters search for their argument in the value. */
const search: ReadonlySet<string> = new Set(
  'remove remove_first remove_last replace replace_first replace_last split'.split(' '),
);

type Handler = (this: FilterThis, value: unknown, ...args: unknown[]) => unknown;

/** The cost of these filters as a multiple of reading the value, for the most expensive kind of value. */
const factors: Record<string, number> = Object.fromEntries(
  Object.entries({
    2: 'strip lstrip rstrip',
    3: 'split sort find find_index group_by has reject where',
    5: 'slugify squish truncatewords number_of_words',
    8: 'escape escape_once xml_escape newline_to_br url_encode cgi_escape uri_escape',
    10: 'sort_natural',
  }).flatMap(([factor, names]) => names.split(' ').map((name) => [name, Number(factor)])),
);

/** These filters follow a path into every element; in units for an element, and for a step of the path. */
const paths: Record<string, { element: number; step: number }> = {
  ...Object.fromEntries([...readPaths].map((name) => [name, { element: 200, step: 100 }])),
  ...Object.fromEntries(
    ['map', 'sort', 'sort_natural', 'sum'].map((name) => [name, { element: 50, step: 25 }]),
  ),
};

function useForPath(budget: Budget, name: string, value: unknown, path: unknown): void {
  const units = paths[name];
  if (!units || path === undefined || !Array.isArray(value)) return;
  budget.use(value.length * (units.element + units.step * toText(path).split(/[.[]/).length));
}

function charged(name: string, handler: Handler): Handler {
  return function (value, ...args) {
    const budget = budgetOf(this.context);
    budget.useFor(value, factors[name]);
    useForPath(budget, name, value, args[0]);
    for (const argument of args) budget.useFor(argument);
    if (search.has(name)) budget.useForSearch(toText(value), toText(args[0]));
    if (readPaths.has(name) && toText(args[0]).includes('('))
      throw new Error(`${name} requires the name of a property`);
    return handler.call(this, value, ...args);
  };
}

const same: Handler = (value) => value;
/** The types of liquidjs declare the arguments of each filter; a template passes anything. */
const library: Record<string, Handler> = {
  ...(all as unknown as Record<string, Handler>),
  date,
  date_to_rfc822: dateToRfc822,
  date_to_xmlschema: dateToXmlschema,
};

const standard: Record<string, FilterImplOptions> = {
  ...Object.fromEntries(allowed.map((name) => [name, charged(name, library[name] ?? same)])),
  t: translate as Handler,
  raw: same, // nothing to opt out of
};

/**
 * In HTML, filters that make HTML escape their input and mark the result as HTML: `{{ note | newline_to_br }}` is safe, and
 * escaped once.
 */
const makesHtml = (name: string, change: (html: string) => string): [string, Handler] => [
  name,
  charged(name, (value) => new SafeHtml(change(escapeHtml(value)))),
];

const html: Record<string, FilterImplOptions> = {
  ...standard,
  ...Object.fromEntries([
    makesHtml('escape', (text) => text),
    makesHtml('xml_escape', (text) => text),
    makesHtml('newline_to_br', (text) => text.replace(/\r?\n/g, '<br />\n')),
    [
      'escape_once',
      charged('escape_once', function (value) {
        return new SafeHtml(toText(library.escape_once?.call(this, toText(value))));
      }),
    ],
  ]),
  t: translateHtml as Handler,
  raw: { raw: true, handler: charged('raw', same) as Filter['render'] },
};

const marked: Record<string, FilterImplOptions> = {
  ...standard,
  raw: charged('raw', (value) => new VerifiedText(value)),
};

export const filtersFor = { html, text: standard, json: standard, marked };
