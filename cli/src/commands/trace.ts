import type { Trace, TraceEntry } from '@carillon/sdk';
import { command } from '../command.ts';
import { plain, type Style, statusStyle } from '../style.ts';

export const trace = command({
  name: 'trace',
  summary: 'Explain why a notification was or was not delivered',
  arguments: '<id>',
  takes: [1, 1],
  options: {},
  examples: [
    {
      command: 'carillon trace 0198c3a1-5a0e-7c4e-9d3b-2f6a1b7c8d9e',
      says: 'the summary, then every step',
    },
  ],
  async run({ io, json, style, client }, _values, [id = '']) {
    const found = await client().notifications.trace(id);
    if (json) return io.out(JSON.stringify(found));
    io.out(`${statusStyle(style, found.status)}  ${style('bold', plain(found.summary, 1000))}`);
    const advice = adviceOf(found);
    if (advice) io.out(`  ${advice}`);
    if (found.entries.length > 0) io.out('');
    for (const entry of found.entries) io.out(lineOf(entry, style));
    if (found.next_attempt_at) io.out(`\n  next: ${found.next_attempt_at}`);
    for (const delivery of found.webhook_deliveries) {
      const code = delivery.http_status_code === null ? '' : ` HTTP ${delivery.http_status_code}`;
      io.out(
        `  ${style('dim', delivery.created_at)}  webhook ${delivery.endpoint_id} ${delivery.event_type}: ${delivery.status}${code} ${plain(delivery.error)}`.trimEnd(),
      );
    }
  },
});

const verdicts: Record<string, [mark: string, format: 'green' | 'yellow' | 'red', words: string]> = {
  pass: ['✓', 'green', 'passed'],
  suppress: ['✗', 'red', 'suppressed it'],
  defer: ['…', 'yellow', 'delayed it'],
  drop: ['✗', 'red', 'dropped it'],
  fail: ['✗', 'red', 'failed'],
  passed_over: ['…', 'yellow', 'was skipped'],
  woken: ['…', 'yellow', 'triggered an early retry'],
  held_back: ['…', 'yellow', 'was delayed'],
  not_called: ['✗', 'red', 'was not called'],
  accepted: ['✓', 'green', 'accepted it'],
  retry: ['…', 'yellow', 'temporarily rejected it'],
  throttled: ['…', 'yellow', 'was rate limited'],
  rejected: ['✗', 'red', 'rejected it'],
  broken: ['✗', 'red', 'is misconfigured'],
  ambiguous: ['?', 'yellow', 'may have accepted it'],
};

function lineOf(entry: TraceEntry, style: Style): string {
  const refusedForGood = entry.kind === 'attempt' && entry.verdict === 'suppress';
  const [mark, format, words] =
    verdicts[refusedForGood ? 'rejected' : entry.verdict] ??
    (['·', 'yellow', `said ${entry.verdict}`] as const);
  const who = entry.kind === 'attempt' ? entry.name : entry.name.replaceAll('_', ' ');
  const facts = [
    entry.provider_kind && entry.provider_kind !== entry.name ? entry.provider_kind : null,
    entry.code,
    entry.latency_ms === null ? null : `${entry.latency_ms} ms`,
    entry.provider_message_id,
  ].filter((fact) => fact !== null);
  const line = `  ${style('dim', entry.at)}  ${style(format, mark)} ${plain(who)} ${words}`;
  const detail = entry.detail ? `: ${plain(entry.detail, 1000)}` : '';
  return `${line}${detail}${facts.length > 0 ? style('dim', ` (${plain(facts.join(', '))})`) : ''}`;
}

/** What the asker can do about it. */
function adviceOf({ status, entries }: Trace): string | null {
  const codes = entries.map(({ code }) => code);
  const suppressedBy = entries.find(({ kind, verdict }) => kind === 'gate' && verdict === 'suppress');
  if (suppressedBy?.name === 'suppression_list')
    return 'The address is suppressed. DELETE /v1/suppressions/{address} removes it from the list.';
  if (suppressedBy?.detail?.includes('unless the recipient opts in'))
    return 'The category does not use this channel by default. Change its default_channels or default_opt_in, or let the recipient opt in.';
  if (suppressedBy)
    return 'The recipient opted out of this category on this channel. Only they should change that.';
  const isBroken = entries.some(({ verdict }) => verdict === 'broken' || verdict === 'not_called');
  if (codes.includes('provider_not_configured') || isBroken)
    return 'Run `carillon doctor` to check the connections of this environment.';
  if (status === 'failed') return 'Fix the cause, then resend with POST /v1/notifications/{id}/resend.';
  return null;
}
