import { expect, test } from 'vitest';
import { createKnownNames, newNameBudget } from './known-names.ts';

const names = createKnownNames(['send_at', 'recipient', 'address', 'template_data', 'key', 'data', 'url']);
const meantBy = (given: string): string | null =>
  names.findMisspelt({ [given]: 1 }, newNameBudget())?.meant ?? null;

test.each([
  ['sendAt', 'send_at'],
  ['SendAt', 'send_at'],
  ['send-at', 'send_at'],
  ['SEND_AT', 'send_at'],
  ['sendat', 'send_at'],
  ['adress', 'address'],
  ['addresss', 'address'],
  ['adderss', 'address'],
  ['reciepient', 'recipient'],
  ['recpient', 'recipient'],
  ['templatData', 'template_data'],
  ['tempalte_dtaa', 'template_data'],
  ['Key', 'key'],
  ['dat', 'data'],
])('%s is a misspelt %s', (given, meant) => {
  expect(meantBy(given)).toBe(meant);
});

test.each([
  'send_at',
  'keys',
  'ley',
  'uri',
  'dress',
  'template',
  'templates_dates',
  'metadata',
  'id',
  '',
  '___',
])('%s is not taken for another name', (given) => {
  expect(meantBy(given)).toBeNull();
});

test('an unknown name with null is not looked at', () => {
  expect(names.findMisspelt({ sendAt: null, key: 1 }, newNameBudget())).toBeNull();
});

test('a name longer than any known one is not compared', () => {
  expect(meantBy(`send_at${'_'.repeat(1_000_000)}`)).toBeNull();
});

test('of two names the closer one is meant', () => {
  const close = createKnownNames(['chattwo_endpoint_id', 'chattwo_endpoint_ids']);
  expect(close.findMisspelt({ chattwoEndpointIds: 1 }, newNameBudget())?.meant).toBe('chattwo_endpoint_ids');
});

test('after a hundred unknown names the others are not looked at, also over several objects', () => {
  const budget = newNameBudget();
  const unknown = (from: number) =>
    Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`other_${from + index}`, index]));
  expect(names.findMisspelt(unknown(0), budget)).toBeNull();
  expect(names.findMisspelt({ ...unknown(60), sendAt: 1 }, budget)).toBeNull();
  expect(budget.names).toBe(0);
  expect(names.findMisspelt({ ...unknown(0), sendAt: 1 }, newNameBudget())).toEqual({
    given: 'sendAt',
    meant: 'send_at',
  });
});
