import { isRecord } from '../../kernel/json.ts';
import {
  anything,
  fields,
  firstProblem,
  lengthOf,
  list,
  optional,
  type Problems,
  type Rule,
  text,
} from '../shape.ts';

const maxBlocks = 50;
const maxMarkdown = 12_000;

/** Blocks are given as a list, or as `{"blocks": [...]}`, the form that the service's own builder exports. */
export function blocksOf(value: unknown): unknown {
  return isRecord(value) && 'blocks' in value ? value.blocks : value;
}

/** Returns why the service would refuse these blocks; null when no problem is known. */
export function blocksProblem(value: unknown): string | null {
  return firstProblem(blocks(blocksOf(value)));
}

function* blocks(value: unknown): Problems {
  yield* list(block, maxBlocks)('blocks', value);
  const known = (value as unknown[]).filter(isRecord);
  const ids = known.flatMap(({ block_id: id }) => (typeof id === 'string' ? [id] : []));
  if (new Set(ids).size < ids.length) yield 'every block_id must be unique';
  const markdown = known.flatMap((each) => (each.type === 'markdown' ? [String(each.text)] : []));
  if (markdown.reduce((sum, each) => sum + lengthOf(each), 0) > maxMarkdown)
    yield `markdown blocks must have at most ${maxMarkdown} characters`;
}

function textObject(max: number): Rule {
  return function* (at, value) {
    yield* fields({ text: text(max) })(at, value);
    const { type } = value as { type?: unknown };
    if (type !== 'plain_text' && type !== 'mrkdwn' && type !== anything)
      yield `${at}.type must be plain_text or mrkdwn`;
  };
}

const image = { image_url: optional(text(3_000)), alt_text: text(2_000) };

const element: Rule = function* (at, value) {
  yield* fields({ type: text(255) })(at, value);
  const { type } = value as { type?: unknown };
  if (type === 'button')
    yield* fields({ text: textObject(75), value: optional(text(2_000, 0)), url: optional(text(3_000, 0)) })(
      at,
      value,
    );
  if (type === 'image') yield* fields(image)(at, value);
  if (type === 'plain_text' || type === 'mrkdwn') yield* textObject(3_000)(at, value);
};

const rules: Record<string, Rule> = {
  *section(at, value) {
    yield* fields({
      text: optional(textObject(3_000)),
      fields: optional(list(textObject(2_000), 10)),
      accessory: optional(element),
    })(at, value);
    const section = value as { text?: unknown; fields?: unknown };
    if (!section.text && !section.fields) yield `${at} must have text or fields`;
  },
  header: fields({ text: textObject(150) }),
  context: fields({ elements: list(element, 10) }),
  actions: fields({ elements: list(element, 25) }),
  image: fields({ ...image, title: optional(textObject(2_000)) }),
  markdown: fields({ text: text(maxMarkdown) }),
  table: fields({
    rows: list(
      list(function* () {}, 20),
      100,
    ),
  }),
};

/** Block types without a rule here are left to the service, because it adds new ones. */
const block: Rule = function* (at, value) {
  yield* fields({ type: text(255), block_id: optional(text(255)) })(at, value);
  const { type } = value as { type: string };
  if (Object.hasOwn(rules, type)) yield* rules[type]?.(at, value) ?? [];
};
