import { setTimeout as delay } from 'node:timers/promises';

/** What a scene may do, as far as this one does it: call the API as anybody could. */
interface Stage {
  call<Answer>(method: string, path: string, body?: object): Promise<Answer>;
}

interface Run {
  status: string;
  steps: { step_id: string; outcome: string | null; status: string; output_json: string | null }[];
}

const endWithinMs = 20_000;

const mail = (id: string, subject: string, rest: object = {}) => ({
  id,
  kind: 'send',
  channel: 'email',
  recipient: { address: 'delivered@sandbox.test', external_user_id: '{{ trigger.user }}' },
  subject,
  text_body: 'It rings.',
  ...rest,
});

/** Waits for the payment, reminds when it does not come, and tells of the paid orders of a customer in one letter. */
const steps = [
  {
    id: 'payment',
    kind: 'wait_for_event',
    event: 'paid',
    match: { order_id: '{{ trigger.order_id }}' },
    timeout: 'PT2S',
    on_timeout: 'remind',
    next: 'collect',
  },
  mail('remind', 'Order {{ trigger.order_id }} is waiting for you', { next: 'second_chance' }),
  {
    id: 'second_chance',
    kind: 'wait_for_event',
    event: 'paid',
    match: { order_id: '{{ trigger.order_id }}' },
    timeout: '3d',
    on_timeout: 'give_up',
    next: 'collect',
  },
  { id: 'collect', kind: 'digest', key: '{{ trigger.user }}', window: 'PT1S' },
  mail('thank', '{{ digest.items | size }} orders are on their way', { next: 'end' }),
  { id: 'give_up', kind: 'cancel' },
];

export const workflowScene = {
  title: 'Orders that wait for their payment, remind, and are told of together',
  async play({ call }: Stage): Promise<void> {
    await call('POST', '/v1/workflows', { key: 'orders', name: 'Orders' });
    await call('POST', '/v1/workflows/orders/versions', { body: { steps } });
    await call('POST', '/v1/workflows/orders/versions/1/activate');
    const runs = new Map<string, string>();
    for (const order of ['A1', 'A2', 'A3']) {
      const trigger_data = { order_id: order, user: 'ada' };
      const { run_id } = await call<{ run_id: string }>('POST', '/v1/workflows/orders/trigger', {
        trigger_data,
      });
      runs.set(order, run_id);
    }
    const get = (order: string) => call<Run>('GET', `/v1/workflows/runs/${runs.get(order)}`);
    const pay = async (order: string): Promise<void> => {
      const body = { event_name: 'paid', event_data: { order_id: order } };
      const { awoken_run_count: count } = await call<{ awoken_run_count: number }>(
        'POST',
        '/v1/workflows/orders/events',
        body,
      );
      console.log(`  … order ${order} is paid: ${count} run wakes up …`);
    };
    const until = async (order: string, isThere: (run: Run) => boolean): Promise<Run> => {
      for (const deadline = Date.now() + endWithinMs; ; await delay(20)) {
        const run = await get(order);
        if (isThere(run)) return run;
        if (Date.now() > deadline) throw new Error(`The run of order ${order} is still ${run.status}.`);
      }
    };

    await until('A1', ({ status }) => status === 'waiting');
    await until('A3', ({ steps: done }) => done.some(({ step_id }) => step_id === 'second_chance'));
    console.log('  … nobody pays in time, so everybody is reminded …');
    for (const order of ['A1', 'A2', 'A3']) {
      await until(order, (run) => run.steps.at(-1)?.step_id === 'second_chance' && run.status === 'waiting');
      await pay(order);
    }
    for (const order of runs.keys()) {
      const run = await until(order, ({ status }) => status === 'completed');
      const line = run.steps
        .map(({ step_id, outcome, status }) => `${step_id} ${outcome ?? status}`)
        .join(' → ');
      console.log(`  order ${order}: ${line}`);
    }
    console.log('  → three orders, three reminders, one letter of thanks.\n');
  },
};
