import { collect } from '../collect.ts';
import { type Command, type Context, command } from '../command.ts';
import { usageError } from '../errors.ts';
import { readFileOf } from '../input.ts';
import { countOf, plain, table } from '../style.ts';

/** Most users that the service takes in one call. */
const perCall = 10_000;

const fromFile = {
  from: {
    type: 'string',
    value: 'path',
    description: 'File with one user id per line, or - for the standard input',
  },
} as const;

export const topicCommands: readonly Command[] = [
  command({
    name: 'topics list',
    summary: 'List topics and how many users follow them',
    options: {},
    examples: [{ command: 'carillon topics list', says: 'all topics of the environment' }],
    async run({ io, json, client, style }) {
      const topics = await collect(client().topics.list({ limit: 100 }));
      if (json) return io.out(JSON.stringify(topics));
      if (topics.length === 0) return io.out('No topics.');
      io.out(
        table([
          ['KEY', 'SUBSCRIBERS', 'NAME'].map((title) => style('dim', title)),
          ...topics.map(({ key, subscriber_count, name }) => [key, String(subscriber_count), plain(name)]),
        ]),
      );
    },
  }),
  subscriberCommand(
    'add',
    'Add subscribers to a topic',
    'added',
    async ({ client }, key, external_user_ids) => {
      return (await client().topics.addSubscribers(key, { external_user_ids })).added;
    },
  ),
  subscriberCommand(
    'remove',
    'Remove subscribers from a topic',
    'removed',
    async ({ client }, key, external_user_ids) => {
      return (await client().topics.removeSubscribers(key, { external_user_ids })).removed;
    },
  ),
];

function subscriberCommand(
  action: 'add' | 'remove',
  summary: string,
  done: string,
  change: (context: Context, key: string, userIds: string[]) => Promise<number>,
): Command {
  return command({
    name: `topics ${action}`,
    summary,
    arguments: '<key> [user…]',
    takes: [1, 1_001],
    details: 'Users who are already as wanted stay so: the command can be repeated.',
    options: fromFile,
    examples: [
      { command: `carillon topics ${action} release_notes ada grace`, says: 'two users' },
      { command: `carillon topics ${action} release_notes --from users.txt`, says: 'any number of users' },
    ],
    async run(context, values, [key = '', ...named]) {
      const { io, json } = context;
      const ids = [...named, ...(await idsIn(context, values.from))];
      if (ids.length === 0) throw usageError('Name at least one user, or a file with --from.');
      let changed = 0;
      for (let from = 0; from < ids.length; from += perCall) {
        io.progress(`${from} of ${countOf(ids.length, 'user')}…`);
        changed += await change(context, key, ids.slice(from, from + perCall));
      }
      io.out(json ? JSON.stringify({ [done]: changed }) : `${countOf(changed, 'subscriber')} ${done}.`);
    },
  });
}

async function idsIn({ io }: Context, path: string | undefined): Promise<string[]> {
  if (path === undefined) return [];
  const text = path === '-' ? await io.readInput() : readFileOf(io, path, '--from').toString('utf8');
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
