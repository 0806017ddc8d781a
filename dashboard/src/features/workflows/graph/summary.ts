import { common } from '../../../strings/common.ts';
import { workflows } from '../../../strings/workflows.ts';
import type { IconName } from '../../../ui/index.ts';
import { branchesOf, isObject, type Step, textOf } from '../definition.ts';
import type { Reason } from './paths.ts';

const { summary, reasons } = workflows;

/** Describes a step in one line. */
export function summaryOf(step: Step): string {
  switch (step.kind) {
    case 'send':
      return summary.send(textOf(step.channel), recipientOf(step), contentOf(step));
    case 'delay':
      return delayOf(step);
    case 'branch':
      return summary.branch(branchesOf(step).length);
    case 'wait_for_event':
      return textOf(step.event) === ''
        ? summary.waitNothing
        : summary.wait(textOf(step.event), textOf(step.timeout));
    case 'digest':
      return summary.digest(shown(step.key), textOf(step.window));
    case 'throttle':
      return summary.throttle(shown(step.limit), shown(step.key), textOf(step.window));
    case 'fetch':
      return summary.fetch(textOf(step.method) || 'GET', textOf(step.url));
    case 'cancel':
      return summary.cancel;
    case 'noop':
      return summary.noop;
    default:
      return summary.unknown(step.kind);
  }
}

export function conditionOf(step: Step): string | null {
  const when = textOf(step.when);
  return when === '' ? null : summary.when(when);
}

function recipientOf(step: Step): string {
  const recipient = isObject(step.recipient) ? step.recipient : {};
  const [first] = Object.values(recipient);
  return shown(recipient.address ?? recipient.external_user_id ?? first ?? '');
}

function contentOf(step: Step): string {
  return textOf(step.template_key) || textOf(step.subject);
}

function delayOf(step: Step): string {
  const [duration, until, at] = [textOf(step.duration), textOf(step.until), textOf(step.at)];
  const first = duration !== '' ? summary.delay(duration) : until !== '' ? summary.delayUntil(until) : '';
  const zone = textOf(step.timezone);
  const window = isObject(step.window) ? step.window : null;
  if (window) {
    const isRecipient = zone === '' || zone === 'recipient';
    const hours = summary.delayWindow(
      textOf(window.start),
      textOf(window.end),
      isRecipient ? summary.recipientZone : zone,
    );
    return first === '' ? hours : summary.delayThenWindow(first, hours);
  }
  if (at === '') return first || summary.delayNothing;
  return first === '' ? summary.delayAt(at, zone) : summary.delayThenAt(first, at, zone);
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** The label of an edge; empty where there is no choice. */
export function reasonsText(given: Reason[]): string {
  return given
    .filter(({ kind }) => kind !== 'always')
    .map(reasonText)
    .join(reasons.join);
}

function reasonText(reason: Reason): string {
  switch (reason.kind) {
    case 'when':
      return reason.expression;
    case 'timeout':
      return reasons.timeout(reason.after);
    case 'always':
      return '';
    default:
      return reasons[reason.kind];
  }
}

const icons = new Map<string, IconName>([
  ['delay', 'clock'],
  ['branch', 'branch'],
  ['wait_for_event', 'pause'],
  ['digest', 'filter'],
  ['throttle', 'filter'],
  ['fetch', 'external'],
  ['cancel', 'stop'],
  ['noop', 'chevron'],
]);

export function iconOf(step: { kind: string; channel?: unknown }): IconName {
  if (step.kind !== 'send') return icons.get(step.kind) ?? 'info';
  const channel = textOf(step.channel);
  return common.isChannel(channel) ? channel : 'send';
}
