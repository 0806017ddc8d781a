import { expect, test } from 'vitest';
import { receiptUpdate } from './apply.ts';

const now = Date.UTC(2026, 0, 1);
const types = (entries: { type: string }[]): string[] => entries.map((entry) => entry.type);

test('receipts keep their order, and the last word decides', () => {
  const update = receiptUpdate(
    'n',
    [
      { type: 'Delivered', detail: null },
      { type: 'Complained', detail: 'spam' },
      { type: 'Opened', detail: null },
    ],
    now,
  );
  expect(update).toMatchObject({ status: 'complained', last_error: null });
  expect(types(update.events)).toEqual(['Delivered', 'Complained', 'Opened']);
});

test('a bounce after the delivery is an event, and no error', () => {
  const bounced = { type: 'Bounced', detail: 'user unknown' } as const;
  for (const update of [
    receiptUpdate('n', [bounced], now, 'delivered'),
    receiptUpdate('n', [{ type: 'Delivered', detail: null }, bounced], now),
  ]) {
    expect(update.last_error).toBeNull();
    expect(types(update.events)).toContain('Bounced');
  }
  expect(receiptUpdate('n', [bounced], now)).toMatchObject({ status: 'bounced', last_error: 'user unknown' });
});
