import type { ValidateFunction } from 'ajv/dist/2020.js';
import { countedTask, runCounted } from '../kernel/threads/effort.ts';
import { type Task, type TaskRunner, TaskStopped } from '../kernel/threads/task.ts';
import type {
  DataViolation,
  Decision,
  Definition,
  DefinitionProblem,
  Input,
  JsonObject,
  ParsedDefinition,
  RunFacts,
  RunState,
  Simulation,
  SimulationInput,
  ValidationContext,
} from './contract.ts';
import { decide, failed } from './decide.ts';
import { matchKeyOf } from './match.ts';
import { parseDefinition } from './parse.ts';
import { simulate } from './simulate.ts';
import {
  compileTriggerSchema,
  type TriggerDataSchema,
  triggerSchemaProblem,
  violationsOf,
} from './trigger-data.ts';
import { validateDefinition } from './validate.ts';

/**
 * What a tenant's workflow makes the process compute. Small bodies without a schema, and small data against
 * plain schemas, are checked in place; all else in a thread, because a schema of a few lines can take seconds.
 */
const lightBody = 32_768;

/** A body that is to be saved: its shape, and whether its schema can be used. */
export function checkDefinition(given: unknown): ParsedDefinition {
  const parsed = parseDefinition(given);
  if (!parsed.ok || parsed.definition.triggerDataSchema === null) return parsed;
  const problem = triggerSchemaProblem(parsed.definition.triggerDataSchema);
  return problem ? { ok: false, problems: [problem] } : parsed;
}

export const definitionTask: Task<string, ParsedDefinition> = {
  name: 'check_definition',
  // A name can be written with escapes.
  isLight: (body) => body.length <= lightBody && !/trigger_data_schema|\\u/.test(body),
  work: checkDefinition,
};

/** Characters of a definition whose expressions and templates are read in place: up to 0.7 µs each. */
const lightValidation = 16_384;

interface ValidationInput {
  definition: Definition;
  world: ValidationContext;
}

export const validationTask: Task<ValidationInput, DefinitionProblem[]> = {
  name: 'validate_definition',
  isLight: ({ definition }) => JSON.stringify(definition).length <= lightValidation,
  work: ({ definition, world }) => validateDefinition(definition, world),
};

/** What stands in the way of activation; empty when nothing does. */
export async function validateBounded(
  tasks: TaskRunner,
  owner: string,
  definition: Definition,
  world: ValidationContext,
): Promise<DefinitionProblem[]> {
  try {
    return await tasks.run(validationTask, owner, { definition, world });
  } catch (error) {
    if (!(error instanceof TaskStopped)) throw error;
    return [{ code: 'too_large', message: `The body cannot be checked: ${error.message}.`, pointer: '' }];
  }
}

export interface DecisionInput {
  definition: Definition;
  run: RunFacts;
  state: RunState;
  input: Input;
  now: number;
}

export const decisionTask = countedTask(
  'decide',
  ({ definition, run, state, input, now }: DecisionInput, effort) =>
    decide(definition, run, state, input, now, effort),
);

/** What a run does next: decided in place or, if it is much work, in a thread. */
export async function decideBounded(
  tasks: TaskRunner,
  owner: string,
  given: DecisionInput,
): Promise<Decision> {
  try {
    return await runCounted(tasks, decisionTask, owner, given);
  } catch (error) {
    if (!(error instanceof TaskStopped)) throw error;
    return failed(given.definition, given.run, given.state, given.now, error.message);
  }
}

/** Of the processor, for one simulation. */
export const simulationLimitMs = 5_000;

export const simulationTask: Task<{ definition: Definition; input: SimulationInput }, Simulation> = {
  name: 'simulate_workflow',
  limitMs: simulationLimitMs,
  isLight: () => false,
  work: ({ definition, input }) => simulate(definition, input),
};

interface MatchInput {
  /** The paths of each pattern. */
  patterns: (readonly string[])[];
  data: JsonObject;
}

/** Characters of the event, as often as there are patterns: each may hash all of it, and more than once. */
const lightMatching = 200_000;

/** For each pattern the key of the waits that the event ends; null: of none. */
export const matchTask: Task<MatchInput, (string | null)[]> = {
  name: 'match_event',
  isLight: ({ patterns, data }) =>
    JSON.stringify(data).length * patterns.reduce((sum, paths) => sum + paths.length, 0) <= lightMatching,
  work: ({ patterns, data }) => patterns.map((paths) => matchKeyOf(paths, data)),
};

interface TriggerDataInput {
  schema: TriggerDataSchema;
  /** Both as JSON: what has the same text is compiled once. */
  schemaText: string;
  data: unknown;
  dataText: string;
}

/** Evaluations, as characters of the schema times those of the data. Each takes some nanoseconds. */
const lightProduct = 2_000_000;
/** A reference can lead to itself or twice to the same, and a pattern takes a microsecond a character. */
const costly = /"(?:\$(?:ref|dynamicRef|recursiveRef)|pattern|patternProperties|uniqueItems)"/;

export const triggerDataTask: Task<TriggerDataInput, DataViolation[]> = {
  name: 'check_trigger_data',
  limitMs: 1_000,
  isLight: ({ schemaText, dataText }) =>
    schemaText.length * dataText.length <= lightProduct && !costly.test(schemaText),
  work({ schema, schemaText, data }) {
    try {
      return violationsOf(validatorOf(schema, schemaText), data);
    } catch (error) {
      return uncheckable(error as Error); // such as the end of the stack
    }
  },
};

const uncheckable = ({ message }: Error): DataViolation[] => [
  { pointer: '', message: `it cannot be checked: ${message}`.slice(0, 300) },
];

/** The last few hundred that were used. */
const compiled = new Map<string, ValidateFunction>();
const maxCompiled = 200;

function validatorOf(schema: TriggerDataSchema, text: string): ValidateFunction {
  const known = compiled.get(text) ?? compileTriggerSchema(schema);
  compiled.delete(text);
  compiled.set(text, known);
  for (const oldest of compiled.keys()) {
    if (compiled.size <= maxCompiled) break;
    compiled.delete(oldest);
  }
  return known;
}

const schemaTexts = new WeakMap<Definition, string>();

/** At most ten violations; empty when the data fits (or there is no schema). */
export async function validateTriggerData(
  tasks: TaskRunner,
  owner: string,
  definition: Definition,
  data: unknown,
): Promise<DataViolation[]> {
  const schema = definition.triggerDataSchema;
  if (schema === null) return [];
  const schemaText = schemaTexts.get(definition) ?? JSON.stringify(schema);
  schemaTexts.set(definition, schemaText);
  try {
    return await tasks.run(triggerDataTask, owner, {
      ...{ schema, schemaText },
      ...{ data, dataText: JSON.stringify(data) ?? '' },
    });
  } catch (error) {
    // Data may be nested deeper than the stack is.
    if (!(error instanceof TaskStopped) && !(error instanceof RangeError)) throw error;
    return uncheckable(error);
  }
}
