import { headerNameProblem } from '../kernel/header-name.ts';
import { isTimeZone } from '../kernel/time-zone.ts';
import { vendorHint, withVendor } from '../kernel/vendors.ts';
import type {
  Definition,
  DefinitionProblem,
  DelayStep,
  DigestStep,
  FetchStep,
  JsonObject,
  References,
  SendStep,
  Step,
  ThrottleStep,
  ValidationContext,
  WaitForEventStep,
} from './contract.ts';
import { recipientZone } from './evaluate.ts';
import { compileExpression, ExpressionFault } from './expression.ts';
import { engineLimits } from './limits.ts';
import { analyse, htmlFields, namedTargets, type Program, programOf, targetOf } from './program.ts';
import { durationHint, parseDuration, parseTimestamp } from './time.ts';
import { escapePointer, isTemplate, templateFaults } from './value.ts';

const maxProblems = 100;

/** Reports a problem, with its pointer relative to the step. */
type Report = (code: string, message: string, pointer: string) => void;

/** Returns the problems that prevent activation; empty when there are none. */
export function validateDefinition(definition: Definition, world: ValidationContext): DefinitionProblem[] {
  const problems: DefinitionProblem[] = [];
  const seen = new Set<string>();
  const ids = new Set(definition.steps.map((step) => step.id));
  const program = programOf(definition);

  for (const [index, step] of definition.steps.entries()) {
    const report: Report = (code, message, pointer) =>
      problems.push({
        code,
        message: `Step "${step.id}": ${message}.`,
        pointer: `/steps/${index}${pointer}`,
      });
    if (seen.has(step.id)) report('duplicate_step_id', 'another step has the same id', '/id');
    seen.add(step.id);
    if (step.when !== null) checkCondition(step.when, '/when', report);
    for (const { target, pointer } of namedTargets(step)) {
      const id = targetOf(definition, target);
      if (id !== null && !ids.has(id))
        report('goto_target_not_found', `there is no step "${target}"`, pointer);
    }
    checkStep(program, step, world, report);
  }

  const { unreachable, synchronousCycles } = analyse(definition);
  for (const index of unreachable)
    problems.push({
      code: 'unreachable_step',
      message: `Step "${definition.steps[index]?.id}": no step leads to it.`,
      pointer: `/steps/${index}`,
    });
  for (const index of synchronousCycles)
    problems.push({
      code: 'synchronous_cycle',
      message: `Step "${definition.steps[index]?.id}": it is in a loop that never pauses; add a delay, a wait_for_event or a digest without "when" to the loop.`,
      pointer: `/steps/${index}`,
    });
  return problems.slice(0, maxProblems);
}

function checkStep(program: Program, step: Step, world: ValidationContext, report: Report): void {
  switch (step.kind) {
    case 'send':
      checkSend(program, step, world, report);
      break;
    case 'delay':
      checkDelay(program, step, report);
      break;
    case 'branch':
      for (const [index, { when }] of step.branches.entries())
        checkCondition(when, `/branches/${index}/when`, report);
      break;
    case 'wait_for_event':
      checkWait(program, step, report);
      break;
    case 'digest':
      checkDigest(program, step, report);
      break;
    case 'throttle':
      checkThrottle(program, step, report);
      break;
    case 'fetch':
      checkFetch(program, step, report);
      break;
    case 'unknown':
      report('unknown_kind', `the step kind "${step.named}" does not exist`, '/kind');
      break;
    default:
      break;
  }
}

const contentFields = ['template_key', 'subject', 'html_body', 'text_body'];

function checkSend(program: Program, step: SendStep, world: ValidationContext, report: Report): void {
  const { template_key: template, category } = step.content;
  const isKnown = world.channels.has(step.channel);
  if (!isKnown) {
    const vendor = vendorHint(step.channel);
    const hint = vendor && world.channels.has(vendor.wireName) ? `; ${vendor.hint}` : '';
    report('unknown_channel', `there is no channel "${step.channel}"${hint}`, '/channel');
  }
  const wanted = world.templatedChannels.has(step.channel) ? ['template_key'] : contentFields;
  if (isKnown && !wanted.some((field) => field in step.content))
    report('content_required', `it needs ${wanted.join(' or ')}`, '');
  if (typeof template === 'string' && !isTemplate(template)) {
    const channels = world.templates.get(template);
    if (!channels) report('template_not_found', `there is no template "${template}"`, '/template_key');
    else if (isKnown && !channels.has(step.channel))
      report(
        'template_body_missing',
        `template "${template}" has no body for ${withVendor(step.channel)}`,
        '/template_key',
      );
  }
  if (typeof category === 'string' && !isTemplate(category) && !world.categories.has(category))
    report('unknown_category', `there is no category "${category}"`, '/category');
  checkDuration(program, step.timeout, '/timeout', report);
  checkTemplates(program, step.content, report, htmlFields);
}

function checkDelay(program: Program, step: DelayStep, report: Report): void {
  const { duration, until, at, window, timezone, fallbackTimezone } = step;
  if (duration !== null && until !== null)
    report('delay_duration_xor_until', 'it has both duration and until; use one', '');
  else if (duration === null && until === null && at === null && window === null)
    report('delay_requires_duration_or_until', 'it needs a duration, until, at or window', '');
  if (at !== null && window !== null) report('delay_at_xor_window', 'it has both at and window; use one', '');
  if (window !== null && window.start === window.end)
    report('invalid_window', 'the window must end at another time than it starts', '/window');
  checkDuration(program, duration, '/duration', report);
  if (until !== null) checkUntil(program, until, report);
  if (at !== null && timezone === null)
    report('at_requires_timezone', 'at needs a timezone, such as Europe/Rome', '/at');
  if (timezone !== recipientZone) checkZone(program, timezone, 'timezone', report);
  checkZone(program, fallbackTimezone, 'fallback_timezone', report);
}

function checkZone(program: Program, zone: string | null, field: string, report: Report): void {
  if (zone === null) return;
  if (isTemplate(zone)) checkTemplates(program, { [field]: zone }, report);
  else if (!isTimeZone(zone)) report('unknown_timezone', `there is no time zone "${zone}"`, `/${field}`);
}

function checkUntil(program: Program, until: string, report: Report): void {
  if (isTemplate(until)) checkTemplates(program, { until }, report);
  if (isTemplate(until) || parseTimestamp(until) !== null) return;
  const type = checkExpression(until, '/until', report);
  if (type !== null && !['dyn', 'string', 'google.protobuf.Timestamp'].includes(type))
    report('invalid_expression', `until returns a ${type}, not a timestamp`, '/until');
}

function checkWait(program: Program, step: WaitForEventStep, report: Report): void {
  if (step.event === null) report('event_required', 'it needs the name of an event', '/event');
  else if (isTemplate(step.event))
    report('event_required', 'the event name must be a literal; use match for variable values', '/event');
  for (const path of Object.keys(step.match))
    if (path.split('.').includes(''))
      report(
        'invalid_expression',
        `"${path}" is not a path such as order.id`,
        `/match/${escapePointer(path)}`,
      );
  checkDuration(program, step.timeout, '/timeout', report);
  checkTemplates(program, { match: step.match }, report);
}

function checkDigest(program: Program, step: DigestStep, report: Report): void {
  checkTemplates(program, { key: step.key }, report);
  checkDuration(program, step.window, '/window', report);
  const { maxItems } = step;
  if (
    maxItems !== null &&
    !(Number.isInteger(maxItems) && maxItems >= 1 && maxItems <= engineLimits.digestItems)
  )
    report(
      'invalid_max_items',
      `max_items must be a whole number from 1 to ${engineLimits.digestItems}`,
      '/max_items',
    );
}

function checkThrottle(program: Program, step: ThrottleStep, report: Report): void {
  checkTemplates(program, { key: step.key }, report);
  checkDuration(program, step.window, '/window', report);
  const { limit } = step;
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= engineLimits.throttleRuns))
    report('invalid_limit', `limit must be a whole number from 1 to ${engineLimits.throttleRuns}`, '/limit');
}

function checkFetch(program: Program, step: FetchStep, report: Report): void {
  for (const name of Object.keys(step.headers)) {
    const problem = headerNameProblem(name, ['idempotency-key']);
    if (problem !== null)
      report('invalid_expression', `"${name}" ${problem}`, `/headers/${escapePointer(name)}`);
  }
  checkTemplates(program, { url: step.url, headers: step.headers, body: step.body }, report);
}

function checkDuration(program: Program, text: string | null, pointer: string, report: Report): void {
  if (text === null) return;
  if (isTemplate(text)) checkTemplates(program, { [pointer.slice(1)]: text }, report);
  else if (parseDuration(text) === null)
    report('invalid_duration', `"${text}" is not ${durationHint}`, pointer);
}

function checkCondition(source: string, pointer: string, report: Report): void {
  const type = checkExpression(source, pointer, report);
  if (type !== null && type !== 'bool' && type !== 'dyn')
    report('invalid_expression', `the condition returns a ${type}, not true or false`, pointer);
}

/** Returns the type of the expression; null when it has been reported as a problem. */
function checkExpression(source: string, pointer: string, report: Report): string | null {
  try {
    const expression = compileExpression(source);
    const problem = expression.patternProblem();
    if (problem !== null) throw new ExpressionFault(problem);
    return expression.type;
  } catch (error) {
    if (!(error instanceof ExpressionFault)) throw error;
    report('invalid_expression', `the expression cannot be used: ${error.message}`, pointer);
    return null;
  }
}

function checkTemplates(
  program: Program,
  value: JsonObject,
  report: Report,
  html?: ReadonlySet<string>,
): void {
  for (const fault of templateFaults(program.templates, value, html))
    report('invalid_expression', `the template cannot be used: ${fault.message}`, fault.pointer);
}

/** Returns the resources that the definition names literally. */
export function references(definition: Definition): References {
  const templateKeys = new Set<string>();
  const categories = new Set<string>();
  for (const step of definition.steps) {
    if (step.kind !== 'send') continue;
    const { template_key: template, category } = step.content;
    if (typeof template === 'string' && !isTemplate(template)) templateKeys.add(template);
    if (typeof category === 'string' && !isTemplate(category)) categories.add(category);
  }
  return { templateKeys: [...templateKeys], categories: [...categories] };
}
