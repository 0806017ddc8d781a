import { collect } from '../collect.ts';
import { type Command, command } from '../command.ts';
import { confirmed } from '../input.ts';
import { plain, table } from '../style.ts';

const kinds = { web_push: 'Web push', apns: 'APNs', fcm: 'FCM' } as const;

export const deviceCommands: readonly Command[] = [
  command({
    name: 'devices list',
    summary: 'List the devices of a user',
    arguments: '<user>',
    takes: [1, 1],
    details: 'The last registered first, with the result of the last push.',
    options: {},
    examples: [{ command: 'carillon devices list ada', says: 'browsers and apps that push reaches' }],
    async run({ io, json, client, style }, _values, [user = '']) {
      const devices = await collect(client().users.listDevices(user));
      if (json) return io.out(JSON.stringify(devices));
      if (devices.length === 0) return io.out('No devices.');
      io.out(
        table([
          ['ID', 'KIND', 'SERVICE', 'LABEL', 'LAST SEEN', 'LAST PUSH'].map((title) => style('dim', title)),
          ...devices.map((device) => [
            ...[device.id, kinds[device.kind], plain(device.service), plain(device.label, 40)],
            ...[device.last_seen_at, device.last_outcome ?? 'none'],
          ]),
        ]),
      );
    },
  }),
  command({
    name: 'devices delete',
    summary: 'Remove a device of a user',
    arguments: '<user> <id>',
    takes: [2, 2],
    details: 'Push no longer reaches the device, until its app or page registers it again.',
    options: { yes: { type: 'boolean', short: 'y', description: 'Skip the confirmation' } },
    examples: [
      { command: 'carillon devices delete ada 0198c3a1-… --yes', says: 'a phone that ada has given away' },
    ],
    async run({ io, json, client }, { yes }, [user = '', id = '']) {
      if (!(await confirmed(io, `Push will no longer reach ${id}. Remove it?`, yes))) return;
      await client().users.deleteDevice(user, id);
      io.out(json ? JSON.stringify({ id, deleted: true }) : `Removed ${id}.`);
    },
  }),
];
