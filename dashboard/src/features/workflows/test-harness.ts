import type { Body } from './definition.ts';

/** The body in the tests of the workbench: a wait, a reminder, a way back. */
export const order: Body = {
  steps: [
    { id: 'paid', kind: 'wait_for_event', event: 'paid', timeout: '1d', on_timeout: 'remind', next: 'thank' },
    { id: 'remind', kind: 'send', when: 'steps.paid.outcome == "timed_out"' },
    { id: 'again', kind: 'branch', branches: [{ when: 'trigger.n < 3', goto: 'paid' }], else: 'end' },
    { id: 'thank', kind: 'send', text_body: '{{ steps.paid.output.amount }} {{ steps["paid"].outcome }}' },
  ],
};
