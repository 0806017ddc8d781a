import fc from 'fast-check';
import type { Input, JsonObject } from '../../src/engine/index.ts';

/** What random workflows are triggered with: the names their expressions and templates ask for, mostly. */
export const randomTriggerData = (): fc.Arbitrary<JsonObject> =>
  fc.record({
    n: fc.integer({ min: 0, max: 3 }),
    id: fc.constantFrom('a', 'b'),
    email: fc.constant('someone@example.com'),
  });

export const eventNames = ['paid', 'shipped'] as const;

interface Options {
  /** Delays, timeouts and windows are drawn from these. */
  durations?: readonly string[];
  fetchUrl?: string;
  maxSteps?: number;
  /** Throttles make runs depend on each other. */
  hasThrottles?: boolean;
}

/**
 * Bodies whose roads lead anywhere, back as well. They parse; whether they validate depends on the draw (a loop that never
 * pauses, a step that no road leads to), so filter by `validateDefinition` where that matters.
 */
export function randomBody(options: Options = {}): fc.Arbitrary<{ steps: JsonObject[] }> {
  const { maxSteps = 8 } = options;
  return fc.integer({ min: 1, max: maxSteps }).chain((count) => {
    const ids = Array.from({ length: count }, (_, index) => `s${index}`);
    return fc
      .tuple(...ids.map((id) => randomStep(id, [...ids, 'end'], options)))
      .map((steps) => ({ steps: steps as JsonObject[] }));
  });
}

function randomStep(id: string, ids: string[], options: Options): fc.Arbitrary<JsonObject> {
  const {
    durations = ['0s', '10m', '1h', '1d'],
    fetchUrl = 'https://api.example.com/',
    hasThrottles = false,
  } = options;
  const target = fc.constantFrom(...ids);
  const duration = fc.constantFrom(...durations);
  const sound = fc.constantFrom(
    'trigger.n > 1',
    'trigger.n == 1',
    'trigger.id == "a"',
    'event != null',
    'has(steps.s0) && steps.s0.outcome == "timed_out"',
    'digest == null',
  );
  const faulty = fc.constantFrom('trigger.missing == 1', 'trigger.n');
  const condition = fc.oneof({ arbitrary: sound, weight: 15 }, { arbitrary: faulty, weight: 1 });
  const maybe = <T>(value: fc.Arbitrary<T>) =>
    fc.oneof({ arbitrary: fc.constant(undefined), weight: 3 }, { arbitrary: value, weight: 1 });
  const base = { id: fc.constant(id), when: maybe(condition), next: maybe(target) };
  const one: Record<string, fc.Arbitrary<Record<string, unknown>>> = {
    send: fc.record({
      ...base,
      kind: fc.constant('send'),
      channel: fc.constant('email'),
      recipient: fc.constant({ address: '{{ trigger.email }}' }),
      subject: fc.constant(`From ${id}`),
      text_body: fc.constant('Number {{ trigger.n }}'),
    }),
    delay: fc.record({ ...base, kind: fc.constant('delay'), duration }),
    branch: fc.record({
      ...base,
      kind: fc.constant('branch'),
      branches: fc.array(fc.record({ when: condition, goto: target }), { minLength: 1, maxLength: 3 }),
      else: maybe(target),
    }),
    wait_for_event: fc.record({
      ...base,
      kind: fc.constant('wait_for_event'),
      event: fc.constantFrom(...eventNames),
      match: fc.constantFrom<JsonObject>({}, { id: '{{ trigger.id }}' }),
      timeout: duration,
      on_timeout: maybe(target),
    }),
    digest: fc.record({
      ...base,
      kind: fc.constant('digest'),
      key: fc.constant('{{ trigger.id }}'),
      window: duration,
    }),
    fetch: fc.record({
      ...base,
      kind: fc.constant('fetch'),
      url: fc.constant(`${fetchUrl}{{ trigger.id }}`),
      on_error: maybe(target),
    }),
    ...(hasThrottles && {
      throttle: fc.record({
        ...base,
        kind: fc.constant('throttle'),
        key: fc.constant('{{ trigger.id }}'),
        limit: fc.integer({ min: 1, max: 3 }),
        window: duration,
        mode: fc.constantFrom('skip', 'wait'),
        on_limit: maybe(target),
      }),
    }),
    cancel: fc.record({ ...base, kind: fc.constant('cancel') }),
    noop: fc.record({ ...base, kind: fc.constant('noop') }),
  };
  return fc.oneof(...Object.values(one)).map((step) => JSON.parse(JSON.stringify(step)) as JsonObject);
}

/** Anything a run may be told, whether it fits or not. */
export const randomInput = (matchKeys: readonly string[]): fc.Arbitrary<Input> =>
  fc.oneof(
    fc.constantFrom<Input>(
      { kind: 'start' },
      { kind: 'resume' },
      { kind: 'timer' },
      { kind: 'timer' },
      { kind: 'send_accepted', notificationId: 'n1' },
      { kind: 'send_refused', reason: 'no' },
      { kind: 'notification_settled', notificationId: 'n1', status: 'bounced', reason: 'no' },
      { kind: 'fetched', body: { ok: true } },
      { kind: 'fetch_failed', reason: 'no' },
      { kind: 'digest_opened', until: 0 },
      { kind: 'digest_joined', survivingRunId: 'r0' },
      { kind: 'digest_closed', items: [{ n: 1 }] },
      { kind: 'throttle_answered', at: 0 },
      { kind: 'throttle_answered', at: null },
    ),
    fc
      .constantFrom(...matchKeys)
      .chain((matchKey) =>
        fc
          .constantFrom(...eventNames)
          .map((eventName): Input => ({ kind: 'event', eventName, matchKey, data: { id: 'a' } })),
      ),
    fc.constant<Input>({ kind: 'cancel' }),
  );
