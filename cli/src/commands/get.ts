import { titleOf } from '../channels.ts';
import { command } from '../command.ts';
import { plain, statusStyle, table } from '../style.ts';

export const get = command({
  name: 'get',
  summary: 'Show a notification and its events',
  arguments: '<id>',
  takes: [1, 1],
  options: {},
  examples: [
    { command: 'carillon get 0198c3a1-5a0e-7c4e-9d3b-2f6a1b7c8d9e', says: 'show its current status' },
    { command: 'carillon get 0198c3a1-… --json | jq .events', says: 'print the API response' },
  ],
  async run({ io, json, style, client }, _values, [id = '']) {
    const notification = await client().notifications.get(id);
    if (json) return io.out(JSON.stringify(notification));
    const { recipient } = notification;
    const facts: [string, string | null][] = [
      ['status', statusStyle(style, notification.status)],
      ['detail', notification.status_detail],
      ['held until', notification.held_until],
      ['channel', titleOf(notification.channel)],
      ['to', [plain(recipient.name), plain(recipient.address)].filter(Boolean).join(' · ')],
      ['subject', plain(notification.subject)],
      ['template', notification.template_key],
      ['category', notification.category],
      ['attempts', String(notification.attempt_count)],
      ['created', notification.created_at],
      ['scheduled', notification.send_at],
      ['sent', notification.sent_at],
      ['error', plain(notification.last_error)],
      ['suppressed', notification.suppression_reason],
    ];
    io.out(style('bold', notification.id));
    io.out(table(facts.flatMap(([name, value]) => (value ? [[`  ${name}`, value]] : []))));
    const rows = notification.events.map(({ occurred_at, type, detail }) => [
      `  ${occurred_at}`,
      statusStyle(style, type),
      plain(detail),
    ]);
    if (rows.length > 0) io.out(`\n${table(rows)}`);
  },
});
