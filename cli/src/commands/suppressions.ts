import { collect } from '../collect.ts';
import { type Command, command } from '../command.ts';
import { choiceOf } from '../input.ts';
import { plain, table } from '../style.ts';

const reasons = ['hard_bounce', 'complaint', 'manual_add', 'unsubscribed'] as const;
const address = { arguments: '<address>', takes: [1, 1] as [number, number] };
const reason = {
  type: 'string',
  value: 'reason',
  choices: reasons,
  description: 'Why the address is suppressed',
} as const;

export const suppressionCommands: readonly Command[] = [
  command({
    name: 'suppressions list',
    summary: 'List suppressed addresses, the latest first',
    options: { reason },
    examples: [
      { command: 'carillon suppressions list --reason hard_bounce', says: 'addresses that bounced' },
    ],
    async run({ io, json, client }, values) {
      const wanted = choiceOf(values.reason, reasons, '--reason');
      const found = await collect(client().suppressions.list({ reason: wanted, limit: 100 }));
      if (json) return io.out(JSON.stringify(found));
      const rows = found.map((each) => [
        each.suppressed_at,
        plain(each.address),
        each.reason,
        plain(each.diagnostic_detail, 80),
      ]);
      io.out(rows.length > 0 ? table(rows) : 'No suppressed addresses.');
    },
  }),
  command({
    ...address,
    name: 'suppressions add',
    summary: 'Stop sends to an address',
    options: { reason },
    examples: [
      { command: 'carillon suppressions add ada@example.com', says: 'an email address or a number' },
    ],
    async run({ io, json, client }, values, [given = '']) {
      const wanted = choiceOf(values.reason, reasons, '--reason');
      const added = await client().suppressions.add({ address: given, reason: wanted });
      io.out(json ? JSON.stringify(added) : `${plain(added.address)} is suppressed: ${added.reason}.`);
    },
  }),
  command({
    ...address,
    name: 'suppressions remove',
    summary: 'Allow sends to an address again',
    options: { note: { type: 'string', value: 'text', description: 'Why, for the audit log' } },
    examples: [{ command: 'carillon suppressions remove ada@example.com', says: 'sends reach it again' }],
    async run({ io, json, client }, { note }, [given = '']) {
      await client().suppressions.remove(given, { note });
      io.out(json ? JSON.stringify({ address: given, removed: true }) : `Removed ${plain(given)}.`);
    },
  }),
];
