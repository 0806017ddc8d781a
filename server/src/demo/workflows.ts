import { type DemoEnvironment, type DemoStep, until } from './environment.ts';

export const workflowSteps: DemoStep[] = [
  { title: 'An order that is paid after a reminder', play: playOrder },
  { title: 'Three comments in one digest', play: playDigest },
];

interface Step {
  step_id: string;
  kind: string;
  status: string;
  outcome: string | null;
  completed_at: string | null;
}

interface Run {
  status: string;
  created_at: string;
  steps: Step[];
}

const mail = { kind: 'send', channel: 'email', recipient: { address: '{{ trigger.email }}' } };

async function playOrder(demo: DemoEnvironment): Promise<void> {
  await define(demo, 'order', [
    {
      ...mail,
      id: 'confirm',
      subject: 'Order {{ trigger.order_id }}',
      text_body: 'Thank you. Please pay soon.',
    },
    {
      id: 'paid',
      kind: 'wait_for_event',
      event: 'order.paid',
      match: { order_id: '{{ trigger.order_id }}' },
      timeout: '1s',
      on_timeout: 'remind',
      next: 'thanks',
    },
    {
      ...mail,
      id: 'remind',
      subject: 'Not paid yet',
      text_body: 'Your order is waiting for payment.',
      next: 'paid',
    },
    { ...mail, id: 'thanks', subject: 'Paid', text_body: 'We received {{ event.amount }}.' },
  ]);
  const id = await trigger(demo, 'order', { order_id: 'A-17', email: 'ada@example.com' });
  await until('The reminder should have been sent.', async () => {
    const { steps } = await demo.call<Run>('GET', `/v1/workflows/runs/${id}`);
    return steps.at(-1)?.step_id === 'paid' && steps.some(({ step_id }) => step_id === 'remind')
      ? true
      : null;
  });
  const paid = { event_name: 'order.paid', event_data: { order_id: 'A-17', amount: '42 €' } };
  const answer = await demo.call<{ awoken_run_count: number }>('POST', '/v1/workflows/order/events', paid);
  await show(demo, id);
  console.log(`  → the event order.paid woke ${answer.awoken_run_count} run\n`);
}

async function playDigest(demo: DemoEnvironment): Promise<void> {
  await define(demo, 'comments', [
    { id: 'collect', kind: 'digest', key: '{{ trigger.user_id }}', window: '1s' },
    {
      id: 'summary',
      kind: 'send',
      channel: 'in_app',
      recipient: { external_user_id: '{{ trigger.user_id }}' },
      html_body: '<p>{{ digest.count }} new comments, the last: {{ digest.items.last.text }}</p>',
    },
  ]);
  const ids: string[] = [];
  for (const text of ['Fine.', 'Really?', 'Yes.'])
    ids.push(await trigger(demo, 'comments', { user_id: 'joan', text }));
  for (const id of ids) await show(demo, id);
  console.log('');
}

async function define({ call }: DemoEnvironment, key: string, steps: object[]): Promise<void> {
  await call('POST', '/v1/workflows', { key, name: key });
  await call('POST', `/v1/workflows/${key}/versions`, { body: { steps } });
  const { valid } = await call<{ valid: boolean }>('POST', `/v1/workflows/${key}/versions/1/activate`);
  if (!valid) throw new Error(`The workflow ${key} should be valid.`);
}

async function trigger({ call }: DemoEnvironment, key: string, data: object): Promise<string> {
  const body = { trigger_data: data };
  return (await call<{ run_id: string }>('POST', `/v1/workflows/${key}/trigger`, body)).run_id;
}

/** Waits for the end of the run, and prints its steps. */
async function show({ call }: DemoEnvironment, id: string): Promise<void> {
  const run = await until('The run should have completed.', async () => {
    const seen = await call<Run>('GET', `/v1/workflows/runs/${id}`);
    return seen.status === 'completed' ? seen : null;
  });
  for (const { step_id, kind, outcome, completed_at } of run.steps) {
    const offset = Date.parse(completed_at ?? '') - Date.parse(run.created_at);
    console.log(
      `  ${`+${offset} ms`.padStart(9)}  ${step_id.padEnd(8)}  ${kind.padEnd(14)}  ${outcome ?? ''}`,
    );
  }
}
