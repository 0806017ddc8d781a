import { describe, expect, test } from 'vitest';
import type { Decision, Definition, Input, Json, JsonObject, RunInput, RunState } from './contract.ts';
import { decide, initialState } from './decide.ts';
import { engineLimits } from './limits.ts';
import { matchKeyOf } from './match.ts';
import { parseDefinition } from './parse.ts';

const start = Date.parse('2026-01-10T08:00:00Z');
const hour = 3_600_000;

function parsed(...steps: Json[]): Definition {
  const result = parseDefinition({ steps });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.definition;
}

/** A run that is told what happens; its state goes through JSON each time, as it does in the database. */
function newRun(definition: Definition, triggerData: JsonObject = {}) {
  const runInput: RunInput = {
    id: 'run-1',
    workflowKey: 'w',
    version: 3,
    source: 'Test',
    createdAt: start,
    recipientTimezone: null,
    triggerData,
  };
  let state: RunState = initialState();
  return {
    tell(input: Input, now = start): Decision {
      const decision = decide(definition, runInput, state, input, now);
      expect(decide(definition, runInput, state, input, now)).toEqual(decision);
      state = JSON.parse(JSON.stringify(decision.state)) as RunState;
      return decision;
    },
  };
}

const outcomes = ({ entries }: Decision) =>
  entries.map(({ stepId, status, outcome }) => `${stepId} ${status} ${outcome}`);

const send = (more: JsonObject = {}) => ({
  id: 'mail',
  kind: 'send',
  channel: 'email',
  recipient: { address: '{{ trigger.email }}' },
  text_body: 'Hello {{ trigger.name }}',
  ...more,
});
const noop = (id: string, more: JsonObject = {}) => ({ id, kind: 'noop', ...more });

describe('immediate steps', () => {
  test('are folded into one decision, and each has its line', () => {
    const definition = parsed(
      noop('a', { when: 'trigger.x > 1' }),
      {
        id: 'b',
        kind: 'branch',
        branches: [
          { when: 'trigger.x == 5', goto: 'e' },
          { when: 'trigger.x == 1', goto: 'd' },
        ],
      },
      noop('c'),
      noop('d', { next: 'end' }),
      noop('e'),
    );
    const decision = newRun(definition, { x: 1 }).tell({ kind: 'start' });
    expect(decision).toMatchObject({
      status: 'completed',
      effect: null,
      failureReason: null,
      ignored: false,
    });
    expect(outcomes(decision)).toEqual(['a completed skipped', 'b completed branched', 'd completed noop']);
    expect(decision.entries[1]).toEqual({
      seq: 2,
      stepId: 'b',
      kind: 'branch',
      attemptId: 'b-2',
      status: 'completed',
      outcome: 'branched',
      notificationId: null,
      output: null,
      nextStepId: 'd',
      nextScheduledAt: null,
      startedAt: start,
      completedAt: start,
    });
  });

  test('else is taken when no branch is, and the next step without one', () => {
    const branch = (more: JsonObject) => ({
      id: 'b',
      kind: 'branch',
      branches: [{ when: 'false', goto: 'd' }],
      ...more,
    });
    const told = (more: JsonObject) =>
      outcomes(newRun(parsed(branch(more), noop('c'), noop('d'))).tell({ kind: 'start' }));
    expect(told({ else: 'd' })).toEqual(['b completed branched', 'd completed noop']);
    expect(told({})).toEqual(['b completed branched', 'c completed noop', 'd completed noop']);
    expect(told({ else: 'end' })).toEqual(['b completed branched']);
  });

  test.each(Object.getOwnPropertyNames(Object.prototype).filter((name) => /^[a-z]\w*$/i.test(name)))(
    'a step may be called %s, unless that is refused',
    (id) => {
      const send = { id, kind: 'send', channel: 'email', recipient: {}, subject: 's', text_body: 'x' };
      const wait = { id: 'wait', kind: 'wait_for_event', event: 'go', timeout: '1h', on_timeout: 'end' };
      const body = { steps: [send, wait, noop('last', { when: `steps["${id}"].outcome == "sent"` })] };
      const result = parseDefinition(body);
      if (!result.ok) {
        expect(result.problems).toMatchObject([{ message: '/steps/0/id is not an allowed name.' }]);
        return;
      }
      const run = newRun(result.definition);
      run.tell({ kind: 'start' });
      expect(run.tell({ kind: 'send_accepted', notificationId: 'n' })).toMatchObject({ status: 'waiting' });
      expect(
        run.tell({ kind: 'event', eventName: 'go', matchKey: matchKeyOf([], {}) ?? '', data: {} }),
      ).toMatchObject({
        status: 'completed',
      });
    },
  );

  test('cancel ends the run as cancelled', () => {
    const decision = newRun(parsed({ id: 'a', kind: 'cancel', when: 'true' }, noop('b'))).tell({
      kind: 'start',
    });
    expect(decision).toMatchObject({ status: 'cancelled', effect: null });
    expect(outcomes(decision)).toEqual(['a cancelled cancelled']);
  });

  test('a long chain gives way to others, and goes on where it was', () => {
    const run = newRun(parsed(...Array.from({ length: 250 }, (_, index) => noop(`s${index}`))));
    const first = run.tell({ kind: 'start' });
    expect(first).toMatchObject({ status: 'running', effect: { kind: 'continue' } });
    expect(first.entries).toHaveLength(engineLimits.stepsInDecision);
    expect(run.tell({ kind: 'resume' }).effect).toEqual({ kind: 'continue' });
    expect(run.tell({ kind: 'resume' })).toMatchObject({ status: 'completed', state: { seq: 250 } });
  });

  test('a chain of heavy conditions gives way too, and the conditions of one step share what it may do', () => {
    const l = Array.from({ length: 150 }, (_, index) => index);
    const heavy = 'trigger.l.all(a, trigger.l.all(b, a + b >= 0))';
    const chain = newRun(
      parsed(...Array.from({ length: 5 }, (_, index) => noop(`s${index}`, { when: heavy }))),
      { l },
    );
    expect(chain.tell({ kind: 'start' })).toMatchObject({ effect: { kind: 'continue' }, state: { seq: 2 } });
    const branches = Array.from({ length: 50 }, () => ({ when: `!${heavy}`, goto: 'end' }));
    const decision = newRun(parsed({ id: 'b', kind: 'branch', branches }), { l }).tell({ kind: 'start' });
    expect(decision.failureReason).toBe('Step "b": branches[3].when: it exceeds the work limit of a step.');
  });

  test('a loop ends at the limit with a reason; its repetitions are told apart', () => {
    const run = newRun(parsed({ id: 'a', kind: 'delay', duration: '0s' }, noop('b', { next: 'a' })));
    let decision = run.tell({ kind: 'start' });
    const attempts = new Set<string>();
    for (;;) {
      for (const entry of decision.entries) attempts.add(entry.attemptId);
      if (!decision.effect) break;
      decision = run.tell({ kind: 'resume' });
    }
    expect(decision.failureReason).toBe('Step "a": the run has executed 2000 steps, which is the limit.');
    expect(attempts.size).toBe(engineLimits.stepsInRun);
  });
});

describe('send', () => {
  test('asks for a notification with every value evaluated', () => {
    const definition = parsed(
      send({
        html_body: '<b>{{ trigger.name }}</b>',
        template_data: { list: '{{ trigger.list }}' },
        subject: null,
      }),
    );
    const { effect, entries, status } = newRun(definition, {
      email: 'a@b.test',
      name: '<Ann>',
      list: [1],
    }).tell({ kind: 'start' });
    expect(status).toBe('running');
    expect(effect).toEqual({
      kind: 'send',
      stepId: 'mail',
      attemptId: 'mail-1',
      waitFor: 'accepted',
      request: {
        channel: 'email',
        recipient: { address: 'a@b.test' },
        text_body: 'Hello <Ann>',
        html_body: '<b>&lt;Ann&gt;</b>',
        template_data: { list: [1] },
      },
    });
    expect(entries[0]).toMatchObject({ status: 'running', outcome: null, completedAt: null });
  });

  test('is done when it was accepted, and later steps know', () => {
    const run = newRun(
      parsed(
        send(),
        noop('b', { when: 'steps.mail.output.notification_id == "n1" && steps.mail.outcome == "sent"' }),
      ),
    );
    run.tell({ kind: 'start' });
    const decision = run.tell({ kind: 'send_accepted', notificationId: 'n1' }, start + 5);
    expect(outcomes(decision)).toEqual(['mail completed sent', 'b completed noop']);
    expect(decision.entries[0]).toMatchObject({
      notificationId: 'n1',
      output: { notification_id: 'n1', status: 'accepted' },
      startedAt: start,
      completedAt: start + 5,
    });
  });

  test('a refused request fails the run with the reason', () => {
    const run = newRun(parsed(send(), noop('b')));
    run.tell({ kind: 'start' });
    const decision = run.tell({ kind: 'send_refused', reason: 'recipient.address is not an email address.' });
    expect(decision).toMatchObject({
      status: 'failed',
      failureReason: 'Step "mail": recipient.address is not an email address.',
    });
    expect(outcomes(decision)).toEqual(['mail failed failed']);
  });

  test.each<[string, Input, string]>([
    [
      'delivered',
      { kind: 'notification_settled', notificationId: 'n1', status: 'delivered', reason: null },
      'mail completed sent',
    ],
    [
      'suppressed',
      { kind: 'notification_settled', notificationId: 'n1', status: 'suppressed', reason: 'opted out' },
      'mail completed suppressed',
    ],
    [
      'bounced',
      { kind: 'notification_settled', notificationId: 'n1', status: 'bounced', reason: 'no such mailbox' },
      'mail failed failed',
    ],
    ['the end of its patience', { kind: 'timer' }, 'mail completed timed_out'],
  ])('wait_for goes on after %s, whatever it was', (_, input, line) => {
    const run = newRun(
      parsed(
        send({ wait_for: 'delivered', timeout: '1h' }),
        noop('b', { when: 'steps.mail.outcome == "failed"' }),
      ),
    );
    run.tell({ kind: 'start' });
    const waiting = run.tell({ kind: 'send_accepted', notificationId: 'n1' });
    expect(waiting).toMatchObject({
      status: 'waiting',
      effect: { kind: 'await_notification', notificationId: 'n1', waitFor: 'delivered', until: start + hour },
    });
    expect(waiting.entries[0]).toMatchObject({
      status: 'waiting',
      notificationId: 'n1',
      nextScheduledAt: start + hour,
    });
    expect(
      run.tell({ kind: 'notification_settled', notificationId: 'n1', status: 'sent', reason: null }).ignored,
    ).toBe(true);
    expect(
      run.tell({ kind: 'notification_settled', notificationId: 'n2', status: 'delivered', reason: null })
        .ignored,
    ).toBe(true);
    const decision = run.tell(input, start + hour);
    expect(outcomes(decision)).toEqual([line, `b completed ${line.endsWith('failed') ? 'noop' : 'skipped'}`]);
    expect(decision.entries[0]?.notificationId).toBe('n1');
    expect(decision.status).toBe('completed');
  });
});

describe('delay', () => {
  const until = (step: JsonObject, trigger: JsonObject = {}) => {
    const { effect, failureReason } = newRun(parsed({ id: 'd', kind: 'delay', ...step }), trigger).tell({
      kind: 'start',
    });
    return effect?.kind === 'sleep' ? new Date(effect.until).toISOString() : failureReason;
  };
  test.each<[JsonObject, JsonObject, string | null]>([
    [{ duration: '2h' }, {}, '2026-01-10T10:00:00.000Z'],
    [{ duration: '{{ trigger.wait }}' }, { wait: 'P1D' }, '2026-01-11T08:00:00.000Z'],
    [
      { duration: '{{ trigger.wait }}' },
      { wait: 'soon' },
      'Step "d": duration: "soon" is not a duration such as 15m, 2h, 3d or P3DT4H, at most a year.',
    ],
    [{ duration: '{{ trigger.wait }}' }, {}, 'Step "d": duration has no value.'],
    [{ until: '2026-01-12T00:00:00Z' }, {}, '2026-01-12T00:00:00.000Z'],
    [{ until: '2026-01-12T00:00', timezone: 'Europe/Rome' }, {}, '2026-01-11T23:00:00.000Z'],
    [{ until: '{{ trigger.due }}' }, { due: '2026-01-12T00:00:00+02:00' }, '2026-01-11T22:00:00.000Z'],
    [
      { until: 'timestamp(trigger.due) - duration("24h")' },
      { due: '2026-01-12T00:00:00Z' },
      '2026-01-11T00:00:00.000Z',
    ],
    [{ until: 'trigger.due' }, { due: '2026-01-12T00:00:00Z' }, '2026-01-12T00:00:00.000Z'],
    [{ until: 'trigger.due' }, { due: 5 }, 'Step "d": until must return an ISO 8601 timestamp.'],
    [{ until: '2099-01-01T00:00:00Z' }, {}, 'Step "d": until is more than a year in the future.'],
    [{ until: '2020-01-01T00:00:00Z' }, {}, null],
    [{ at: '09:00', timezone: 'Europe/Rome' }, {}, '2026-01-11T08:00:00.000Z'],
    [{ duration: '30m', at: '09:45', timezone: 'Europe/Rome' }, {}, '2026-01-10T08:45:00.000Z'],
    [
      { at: '09:00', timezone: '{{ trigger.zone }}' },
      { zone: 'America/New_York' },
      '2026-01-10T14:00:00.000Z',
    ],
    [
      { at: '09:00', timezone: '{{ trigger.zone }}' },
      { zone: 'Mars' },
      'Step "d": timezone: there is no time zone "Mars".',
    ],
  ])('%j %j', (step, trigger, expected) => expect(until(step, trigger)).toBe(expected));

  test('a timer that fires early changes nothing; one that fires late is not lost', () => {
    const run = newRun(parsed({ id: 'd', kind: 'delay', duration: '1h' }));
    run.tell({ kind: 'start' });
    expect(run.tell({ kind: 'timer' }, start + hour - 1)).toMatchObject({
      status: 'waiting',
      effect: { kind: 'sleep', until: start + hour },
    });
    const decision = run.tell({ kind: 'timer' }, start + 9 * hour);
    expect(decision.entries[0]).toMatchObject({
      outcome: 'delayed',
      nextScheduledAt: start + hour,
      completedAt: start + 9 * hour,
    });
    expect(run.tell({ kind: 'timer' }, start + 10 * hour).ignored).toBe(true);
  });
});

describe('wait_for_event', () => {
  const wait = (more: JsonObject = {}) => ({
    id: 'w',
    kind: 'wait_for_event',
    event: 'paid',
    match: { 'order.id': '{{ trigger.id }}' },
    timeout: '1d',
    ...more,
  });
  const event = (data: JsonObject, eventName = 'paid'): Input => ({
    kind: 'event',
    eventName,
    matchKey: matchKeyOf(['order.id'], data) ?? '',
    data,
  });

  test('waits with the key of the values as they are now', () => {
    const { effect } = newRun(parsed(wait({ lookback: true })), { id: 7 }).tell({ kind: 'start' });
    expect(effect).toEqual({
      kind: 'wait_for_event',
      stepId: 'w',
      eventName: 'paid',
      matchKey: matchKeyOf(['order.id'], { order: { id: 7 } }),
      until: start + 24 * hour,
      lookback: true,
    });
  });

  test('goes on with the event, and only with the right one, once', () => {
    const run = newRun(
      parsed(wait(), noop('b', { when: 'event.order.id == 7 && steps.w.output.sum == 5' })),
      { id: 7 },
    );
    run.tell({ kind: 'start' });
    expect(run.tell(event({ order: { id: 8 } })).ignored).toBe(true);
    expect(run.tell(event({ order: { id: '7' } })).ignored).toBe(true);
    expect(run.tell(event({ order: { id: 7 } }, 'shipped')).ignored).toBe(true);
    const decision = run.tell(event({ order: { id: 7 }, sum: 5 }));
    expect(outcomes(decision)).toEqual(['w completed event_received', 'b completed noop']);
    expect(run.tell(event({ order: { id: 7 } })).ignored).toBe(true);
  });

  test('after the timeout goes where it says', () => {
    const run = newRun(parsed(wait({ on_timeout: 'late', next: 'end' }), noop('late')), { id: 7 });
    run.tell({ kind: 'start' });
    expect(outcomes(run.tell({ kind: 'timer' }, start + 24 * hour))).toEqual([
      'w completed timed_out',
      'late completed noop',
    ]);
  });

  test('that timed out has no event, whatever an earlier wait received', () => {
    const waitFor = (id: string) => ({ id, kind: 'wait_for_event', event: 'e', timeout: '1h' });
    const run = newRun(
      parsed(
        waitFor('a'),
        waitFor('b'),
        noop('heard', { when: 'event != null' }),
        noop('still', { when: 'steps.a.output.n == 1' }),
      ),
    );
    run.tell({ kind: 'start' });
    run.tell({ kind: 'event', eventName: 'e', matchKey: matchKeyOf([], {}) ?? '', data: { n: 1 } });
    expect(outcomes(run.tell({ kind: 'timer' }, start + hour))).toEqual([
      'b completed timed_out',
      'heard completed skipped',
      'still completed noop',
    ]);
  });

  test('a value to match that is not there fails the step; null that is written does not', () => {
    expect(newRun(parsed(wait()), {}).tell({ kind: 'start' }).failureReason).toBe(
      'Step "w": match.order.id has no value.',
    );
    expect(newRun(parsed(wait({ match: { a: null } }))).tell({ kind: 'start' }).effect).toMatchObject({
      matchKey: matchKeyOf(['a'], { a: null }),
    });
  });

  test('an event that is too large to remember fails the run', () => {
    const run = newRun(parsed(wait()), { id: 7 });
    run.tell({ kind: 'start' });
    expect(run.tell(event({ order: { id: 7 }, x: 'x'.repeat(70_000) })).failureReason).toBe(
      'Step "w": its output is larger than 64 KB.',
    );
  });
});

describe('digest', () => {
  const digest = { id: 'd', kind: 'digest', key: '{{ trigger.user }}', window: '1h', max_items: 10 };

  test('the surviving run goes on with all items', () => {
    const run = newRun(parsed(digest, noop('b', { when: 'digest.count == 2 && digest.items[1].n == 2' })), {
      user: 'u',
      n: 1,
    });
    expect(run.tell({ kind: 'start' }).effect).toEqual({
      kind: 'join_digest',
      stepId: 'd',
      key: 'u',
      windowMs: hour,
      maxItems: 10,
      item: { user: 'u', n: 1 },
    });
    expect(run.tell({ kind: 'digest_opened', until: start + hour })).toMatchObject({
      status: 'waiting',
      effect: { kind: 'await_digest', until: start + hour },
    });
    expect(run.tell({ kind: 'timer' }, start + hour).effect).toEqual({
      kind: 'await_digest',
      until: start + hour,
    });
    const decision = run.tell({ kind: 'digest_closed', items: [{ n: 1 }, { n: 2 }] }, start + hour);
    expect(outcomes(decision)).toEqual(['d completed digested', 'b completed noop']);
    expect(decision.entries[0]?.output).toEqual({ key: 'u', count: 2 });
  });

  test('an absorbed run completes and names the surviving one', () => {
    const run = newRun(parsed(digest, noop('b')), { user: 5 });
    run.tell({ kind: 'start' });
    const decision = run.tell({ kind: 'digest_joined', survivingRunId: 'run-0' });
    expect(decision).toMatchObject({ status: 'completed', effect: null });
    expect(decision.entries).toMatchObject([
      { outcome: 'digested', output: { key: '5', surviving_run_id: 'run-0' } },
    ]);
  });

  test('a key without a value fails the step, so that strangers are not collected together', () => {
    expect(newRun(parsed(digest), {}).tell({ kind: 'start' }).failureReason).toBe(
      'Step "d": key has no value.',
    );
  });
});

describe('fetch', () => {
  const fetch = (more: JsonObject = {}) => ({
    id: 'f',
    kind: 'fetch',
    url: 'https://api.test/{{ trigger.id }}',
    method: 'POST',
    headers: { 'X-N': '{{ trigger.id }}' },
    body: { n: '{{ trigger.id }}' },
    ...more,
  });

  test('asks for a call with every value evaluated, and gives its answer to later steps', () => {
    const run = newRun(parsed(fetch(), noop('b', { when: 'steps.f.output.ok' })), { id: 7 });
    expect(run.tell({ kind: 'start' }).effect).toMatchObject({
      kind: 'fetch',
      attemptId: 'f-1',
      request: { url: 'https://api.test/7', method: 'POST', headers: { 'X-N': '7' }, body: '{"n":7}' },
    });
    expect(outcomes(run.tell({ kind: 'fetched', body: { ok: true } }))).toEqual([
      'f completed fetched',
      'b completed noop',
    ]);
  });

  test('a failed call fails the run, or goes where on_error says', () => {
    const told = (more: JsonObject) => {
      const run = newRun(parsed(fetch(more), noop('b', { when: 'steps.f.outcome == "failed"' })), { id: 7 });
      run.tell({ kind: 'start' });
      return run.tell({ kind: 'fetch_failed', reason: 'the server answered 503' });
    };
    expect(told({})).toMatchObject({ status: 'failed', failureReason: 'Step "f": the server answered 503.' });
    expect(outcomes(told({ on_error: 'b' }))).toEqual(['f failed failed', 'b completed noop']);
  });

  test.each<[JsonObject, JsonObject, string]>([
    [{ url: '{{ trigger.url }}' }, {}, 'url has no value'],
    [{ url: '{{ trigger.url }}' }, { url: 'not a url' }, 'url is not a valid URL'],
    [{ headers: { 'X-A': '{{ trigger.x }}' } }, { x: 'a\r\nX-B: 1' }, 'headers.X-A is not a valid header'],
    [{ headers: { 'X A': 'x' } }, {}, 'headers.X A is not a valid header'],
    [{ headers: { Host: 'x' } }, {}, 'headers.Host is a header that only the service can set'],
    [
      { headers: { 'X-Forwarded-For': '10.0.0.1' } },
      {},
      'headers.X-Forwarded-For is a header that only the service can set',
    ],
  ])('%j is refused', (more, trigger, reason) =>
    expect(newRun(parsed(fetch(more)), { id: 1, ...trigger }).tell({ kind: 'start' }).failureReason).toBe(
      `Step "f": ${reason}.`,
    ),
  );
});

describe('every state', () => {
  const states: [string, JsonObject, Input[]][] = [
    ['before the first step', noop('a'), []],
    ['sending', send(), [{ kind: 'start' }]],
    [
      'waiting for a notification',
      send({ wait_for: 'sent' }),
      [{ kind: 'start' }, { kind: 'send_accepted', notificationId: 'n' }],
    ],
    ['sleeping', { id: 'a', kind: 'delay', duration: '1d' }, [{ kind: 'start' }]],
    ['waiting for an event', { id: 'a', kind: 'wait_for_event', event: 'e' }, [{ kind: 'start' }]],
    ['joining a digest', { id: 'a', kind: 'digest', key: 'k', window: '1h' }, [{ kind: 'start' }]],
    [
      'collecting a digest',
      { id: 'a', kind: 'digest', key: 'k', window: '1h' },
      [{ kind: 'start' }, { kind: 'digest_opened', until: start + hour }],
    ],
    ['fetching', { id: 'a', kind: 'fetch', url: 'https://x.test' }, [{ kind: 'start' }]],
  ];

  test.each(states)('%s: asks for the same again after a crash', (_, step, inputs) => {
    const run = newRun(parsed(step));
    let last: Decision | null = null;
    for (const input of inputs) last = run.tell(input);
    const again = run.tell({ kind: 'resume' }, start + 5);
    if (!last) return expect(again.status).toBe('completed');
    expect(again.effect).toEqual(last.effect);
    expect(again.status).toBe(last.status);
    expect(again.state).toEqual(last.state);
  });

  test.each(states)('%s: can be cancelled, once', (_, step, inputs) => {
    const run = newRun(parsed(step, noop('z')));
    for (const input of inputs) run.tell(input);
    const decision = run.tell({ kind: 'cancel' }, start + 5);
    expect(decision).toMatchObject({ status: 'cancelled', effect: null });
    expect(decision.entries.map(({ status, outcome }) => [status, outcome])).toEqual(
      inputs.length > 0 ? [['cancelled', 'cancelled']] : [],
    );
    for (const input of [
      { kind: 'cancel' },
      { kind: 'resume' },
      { kind: 'timer' },
      { kind: 'start' },
    ] as Input[])
      expect(run.tell(input).ignored).toBe(true);
  });
});

test('an expression that cannot be evaluated fails its step with a sentence', () => {
  const reason = (step: JsonObject, trigger: JsonObject = {}) =>
    newRun(parsed(step), trigger).tell({ kind: 'start' }).failureReason;
  expect(reason(noop('a', { when: 'trigger.plan == "pro"' }))).toBe(
    'Step "a": when: there is no "plan" (check with has() first).',
  );
  expect(reason(noop('a', { when: 'trigger.x' }), { x: 'yes' })).toBe(
    'Step "a": when must return true or false.',
  );
  expect(reason(noop('a', { when: 'trigger.x > 1' }), { x: 'yes' })).toBe(
    'Step "a": when: no such overload: string > int.',
  );
  expect(reason({ id: 'b', kind: 'branch', branches: [{ when: 'trigger.y', goto: 'end' }] })).toContain(
    'Step "b": branches[0].when: there is no "y"',
  );
  expect(reason(send({ subject: '{{ trigger.l | where: "(1..2)" }}' }), { l: [] })).toContain(
    'Step "mail": subject: ',
  );
  expect(reason({ id: 'x', kind: 'teleport' })).toBe(
    'Step "x": this version of Carillon does not support the step kind "teleport".',
  );
});

test('data that is nested deeper than the stack fails the step that touches it', () => {
  let deep: Json = [];
  for (let depth = 0; depth < 100_000; depth++) deep = [deep];
  const reason = (step: JsonObject) => newRun(parsed(step), { deep }).tell({ kind: 'start' }).failureReason;
  const tooDeep = /nested too deeply/;
  expect(reason(send({ template_data: { x: '{{ trigger.deep }}' } }))).toMatch(tooDeep);
  expect(reason({ id: 'w', kind: 'wait_for_event', event: 'e', match: { x: '{{ trigger.deep }}' } })).toMatch(
    tooDeep,
  );
  expect(reason({ id: 'd', kind: 'digest', key: '{{ trigger.deep }}', window: '1h' })).toMatch(tooDeep);
  expect(reason(noop('a', { when: 'trigger.deep == [trigger.deep]' }))).toMatch(/^Step "a": when/);
  const run = newRun(parsed({ id: 'f', kind: 'fetch', url: 'https://x.test' }));
  run.tell({ kind: 'start' });
  expect(run.tell({ kind: 'fetched', body: deep }).failureReason).toBe(
    'Step "f": its output is nested too deeply.',
  );
});
