import {
  type DataViolation,
  type Definition,
  type DefinitionProblem,
  definitionTask,
  findUnknownField,
} from '../../../engine/index.ts';
import { parseJson } from '../../../http/json.ts';
import { hintAmong } from '../../../http/unknown-name.ts';
import { invalidParameter, missingParameter, Problem } from '../../../kernel/errors.ts';
import { type TaskRunner, TaskStopped } from '../../../threads/task.ts';
import { type VersionRequest, workflowLimits } from './schema.ts';

/** A body as it is stored: its text, and the definition that the engine parsed from it. */
export interface WorkflowBody {
  text: string;
  /** The parsed text. */
  value: unknown;
  definition: Definition;
}

/** Checks structure and sizes; whether the named resources exist is checked on activation. */
export async function readBody(
  tasks: TaskRunner,
  owner: string,
  { body_json: text, body }: VersionRequest,
): Promise<WorkflowBody> {
  const given = text ?? (body ? JSON.stringify(body) : null);
  if (given === null) throw missingParameter('body_json', 'body');
  if (text && body) throw invalidParameter('body', 'Give body or body_json, not both.');
  if (given.length > workflowLimits.body)
    throw invalidParameter('body_json', `The body must have at most ${workflowLimits.body} characters.`);
  const value = readJson(given);
  refuseUnknownFields(value);
  const parsed = await tasks.run(definitionTask, owner, given).catch(refuseStopped);
  if (!parsed.ok) throw structuralProblem(parsed.problems);
  return { text: given, value, definition: parsed.definition };
}

function refuseUnknownFields(body: unknown): void {
  const unknown = findUnknownField(body);
  if (!unknown) return;
  const { pointer, given, fields } = unknown;
  throw new Problem('parameter_unknown', `Unknown field ${pointer}${hintAmong(given, fields)}`, {
    param: pointer,
  });
}

function refuseStopped(error: unknown): never {
  if (!(error instanceof TaskStopped)) throw error;
  throw invalidParameter('body_json', `The body cannot be checked: ${error.message}.`);
}

/** Parses as strictly as the body of a request: the content ends up in columns that cannot hold NUL. */
function readJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new Problem(error.code, error.message.replace('The body', 'body_json'), { param: 'body_json' });
  }
}

/** The messages of the problems include their location. */
function structuralProblem(problems: DefinitionProblem[]): Problem {
  const messages = problems.map(({ message }) => message);
  return new Problem('parameter_invalid', `The body is not a workflow: ${sentenceOf(messages)}`, {
    param: problems[0]?.pointer || 'body_json',
  });
}

/** The definition cannot be active in its environment. */
export function semanticProblem(problems: DefinitionProblem[]): Problem {
  const message = `The workflow cannot be activated in Live: ${listOf(problems.map(withCode))}`;
  return new Problem('workflow_invalid', message, { param: problems[0]?.pointer ?? null });
}

const withCode = ({ code, message, pointer }: DefinitionProblem) => ({
  message: `${message} (${code})`,
  pointer,
});

export function triggerDataProblem(violations: DataViolation[]): Problem {
  const message = `trigger_data does not match the workflow's schema: ${listOf(violations)}`;
  return new Problem('trigger_data_invalid', message, { param: violations[0]?.pointer ?? null });
}

const mostNamed = 10;

function listOf(problems: { message: string; pointer: string }[]): string {
  return sentenceOf(problems.map(({ message, pointer }) => `${pointer || 'the whole'}: ${message}`));
}

function sentenceOf(messages: string[]): string {
  const named = messages.slice(0, mostNamed).map((message) => message.replace(/\.$/, ''));
  const more = messages.length - named.length;
  return `${named.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`;
}
