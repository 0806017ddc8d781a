import type { User } from '@carillon/sdk';
import { type Command, command } from '../command.ts';
import { confirmed, numberOf } from '../input.ts';
import { plain, table } from '../style.ts';

const user = { arguments: '<user>', takes: [1, 1] as [number, number] };

export const userCommands: readonly Command[] = [
  command({
    name: 'users list',
    summary: 'List users, the latest first',
    options: {
      search: {
        type: 'string',
        short: 's',
        value: 'text',
        description: 'Beginning of an id or email address',
      },
      limit: { type: 'string', value: 'number', description: 'Number of users. Default: 20' },
    },
    examples: [{ command: 'carillon users list --search ada', says: 'find a user' }],
    async run({ io, json, client }, { search, limit }) {
      const most = numberOf(limit, '--limit', 1, 100);
      const { data } = await client().users.list({ search, limit: most }).page();
      if (json) return io.out(JSON.stringify(data));
      const rows = data.map((each) => [
        plain(each.external_user_id, 60),
        plain(each.name, 40),
        plain(each.email, 60),
        plain(each.phone),
      ]);
      io.out(rows.length > 0 ? table(rows) : 'No users.');
    },
  }),
  command({
    ...user,
    name: 'users get',
    summary: 'Show what is stored of a user',
    options: {},
    examples: [{ command: 'carillon users get user_123', says: 'addresses, locale, time zone, attributes' }],
    async run({ io, json, client }, _values, [id = '']) {
      const found = await client().users.get(id);
      io.out(json ? JSON.stringify(found) : table(factsOf(found)));
    },
  }),
  command({
    ...user,
    name: 'users erase',
    summary: 'Erase a user everywhere',
    details:
      'Deletes addresses, preferences, devices and inbox items, and the content of past notifications. Suppressions and\n' +
      'counters stay. It cannot be undone.',
    options: { yes: { type: 'boolean', short: 'y', description: 'Skip the confirmation' } },
    examples: [{ command: 'carillon users erase user_123', says: 'asks, then erases' }],
    async run({ io, json, client }, { yes }, [id = '']) {
      if (!(await confirmed(io, `Erase everything about ${plain(id)}? It cannot be undone.`, yes))) return;
      await client().users.erase(id);
      io.out(json ? JSON.stringify({ external_user_id: id, erased: true }) : `Erased ${plain(id)}.`);
    },
  }),
];

function factsOf(found: User): string[][] {
  return Object.entries(found).flatMap(([name, value]) => {
    if (value === null || value === '') return [];
    return [[name, plain(typeof value === 'object' ? JSON.stringify(value) : String(value))]];
  });
}
