import { expect, test } from 'vitest';
import { cardMessage, cardProblem } from './shape.ts';

const card = (more: object = {}) => ({ type: 'AdaptiveCard', version: '1.5', ...more });
const body = (...elements: unknown[]) => card({ body: elements });

test.each<[string, unknown]>([
  ['an empty card', card()],
  ['an older version', card({ version: '1.0' })],
  [
    'every kind of element',
    body(
      { type: 'TextBlock', text: '' },
      { type: 'Image', url: 'u' },
      { type: 'Container', items: [{ type: 'FactSet', facts: [{ title: 'a', value: 'b' }] }] },
      {
        type: 'ColumnSet',
        columns: [{ type: 'Column', items: [{ type: 'RichTextBlock', inlines: ['a'] }] }],
      },
      { type: 'Table', rows: [{ type: 'TableRow', cells: [{ type: 'TableCell', items: [] }] }] },
      { type: 'ActionSet', actions: [{ type: 'Action.OpenUrl', url: 'u' }] },
      { type: 'SomethingNew' },
    ),
  ],
  ['actions', card({ actions: [{ type: 'Action.ShowCard', card: card() }, { type: 'Action.Submit' }] })],
  ["the service's own extension", card({ msteams: { width: 'Full' } })],
])('takes %s', (_name, value) => {
  expect(cardProblem(value)).toBeNull();
});

test.each<[string, unknown, string]>([
  ['a list', [card()], 'it must be one card object'],
  ['another type', card({ type: 'MessageCard' }), 'type must be "AdaptiveCard"'],
  ['no version', card({ version: undefined }), 'version must be text like "1.5"'],
  ['a version that is a number', card({ version: 1.5 }), 'version must be text like "1.5"'],
  ['a newer version', card({ version: '1.6' }), 'version must be at most 1.5'],
  ['version 2', card({ version: '2.0' }), 'version must be at most 1.5'],
  ['a body that is no list', card({ body: {} }), 'body must be a list'],
  ['an element without a type', body({ text: 'a' }), 'body[0].type must be text'],
  ['a text without text', body({ type: 'TextBlock' }), 'body[0].text must be text'],
  [
    'an image without a URL',
    body({ type: 'Container', items: [{ type: 'Image' }] }),
    'body[0].items[0].url must be text',
  ],
  [
    'a fact without a value',
    body({ type: 'FactSet', facts: [{ title: 'a' }] }),
    'body[0].facts[0].value must be text',
  ],
  [
    'an action without its URL',
    card({ actions: [{ type: 'Action.OpenUrl' }] }),
    'actions[0].url must be text',
  ],
  [
    'a broken card in a card',
    card({ actions: [{ type: 'Action.ShowCard', card: { body: 1 } }] }),
    'actions[0].card.body must be a list',
  ],
])('refuses %s', (_name, value, problem) => {
  expect(cardProblem(value)).toBe(problem);
});

test('the whole message has at most 28 KB, in bytes', () => {
  const envelope = Buffer.byteLength(JSON.stringify(cardMessage(body({ type: 'TextBlock', text: '' }))));
  const filled = (bytes: number) =>
    body({ type: 'TextBlock', text: 'é'.repeat(bytes / 2) + 'x'.repeat(bytes % 2) });
  expect(cardProblem(filled(28_672 - envelope))).toBeNull();
  expect(cardProblem(filled(28_673 - envelope))).toBe(
    'the message must have at most 28672 bytes; it has 28673',
  );
});
