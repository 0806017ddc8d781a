import { isRecord, type JsonRecord } from '../../kernel/json.ts';
import { anything, fields, firstProblem, list, optional, type Problems, type Rule, text } from '../shape.ts';

/** The service limits the whole message, including the envelope around the card. */
const maxBytes = 28_672;
const anyLength = Number.POSITIVE_INFINITY;

/** The posted JSON: the card in the envelope that the service's flows expect. */
export function cardMessage(card: unknown): JsonRecord {
  return {
    type: 'message',
    attachments: [
      { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content: card },
    ],
  };
}

/** Returns why the service would refuse this Adaptive Card; null when no problem is known. */
export function cardProblem(value: unknown): string | null {
  return firstProblem(topCard(value));
}

function* topCard(value: unknown): Problems {
  if (!isRecord(value)) return yield 'it must be one card object';
  if (value.type !== 'AdaptiveCard' && value.type !== anything) yield 'type must be "AdaptiveCard"';
  const given = value.version === anything ? '1.5' : value.version;
  const version = typeof given === 'string' ? /^(\d+)\.(\d+)$/.exec(given) : null;
  if (!version) return yield 'version must be text like "1.5"';
  if (Number(version[1]) !== 1 || Number(version[2]) > 5) yield 'version must be at most 1.5';
  // The size check comes first because it bounds the depth of the rules below.
  const bytes = Buffer.byteLength(JSON.stringify(cardMessage(value)));
  if (bytes > maxBytes) yield `the message must have at most ${maxBytes} bytes; it has ${bytes}`;
  yield* card('', value);
}

const anyText = text(anyLength, 0);
const present: Rule = function* (at, value) {
  if (value === undefined || value === null) yield `${at} is missing`;
};
const items: Rule = (at, value) => list(element, anyLength, 0)(at, value);
const contents = fields({ items });

/** The required fields of each element type. Types that are not listed need only their type. */
const required: Record<string, Record<string, Rule>> = {
  TextBlock: { text: anyText },
  RichTextBlock: { inlines: list(present, anyLength, 0) },
  Image: { url: anyText },
  ImageSet: { images: items },
  Media: { sources: list(present, anyLength, 0) },
  Container: { items },
  ColumnSet: { columns: optional(list(contents, anyLength, 0)) },
  FactSet: { facts: list(fields({ title: anyText, value: anyText }), anyLength, 0) },
  Table: { rows: optional(list(fields({ cells: optional(list(contents, anyLength, 0)) }), anyLength, 0)) },
  ActionSet: { actions: items },
  'Action.OpenUrl': { url: anyText },
  'Action.ShowCard': { card: optional((at, value) => card(at, value)) },
  'Action.ToggleVisibility': { targetElements: list(present, anyLength, 0) },
};

const element: Rule = function* (at, value) {
  yield* fields({ type: text(100) })(at, value);
  const { type } = value as { type: string };
  if (Object.hasOwn(required, type)) yield* fields(required[type] ?? {})(at, value);
};

const card = fields({ body: optional(items), actions: optional(items), selectAction: optional(element) });
