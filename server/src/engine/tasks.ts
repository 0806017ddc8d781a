import type { ValidateFunction } from 'ajv/dist/2020.js';
import { countedTask, runCounted } from '../threads/effort.ts';
import { type Task, type TaskRunner, TaskStopped } from '../threads/task.ts';
import type {
  DataViolation,
  Decision,
  Definition,
  DefinitionProblem,
  Input,
  JsonObject,
  ParsedDefinition,
  RunInput,
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
 * The computations of a tenant's workflow. Small bodies without a schema, and small data against plain schemas, are checked in
 * the main thread; everything else in a worker thread, because a schema of a few lines can take seconds.
 */
const lightBody = 32_768;

/** Checks a body before it is saved: its structure, and whether its schema can be used. */
export function checkDefinition(given: unknown): ParsedDefinition {
  const parsed = parseDefinition(given);
  if (!parsed.ok || parsed.definition.triggerDataSchema === null) return parsed;
  const problem = triggerSchemaProblem(parsed.definition.triggerDataSchema);
  return problem ? { ok: false, problems: [problem] } : parsed;
}

export const definitionTask: Task<string, ParsedDefinition> = {
  name: 'check_definition',
  // The name of the field may be written with escapes.
  isLight: (body) => body.length <= lightBody && !/trigger_data_schema|\\u/.test(body),
  work: checkDefinition,
};

/** The maximum characters of a definition that is validated in the main thread: up to 0.7 µs each. */
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

/** Returns the problems that prevent activation; empty when there are none. */
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

interface DecisionInput {
  definition: Definition;
  run: RunInput;
  state: RunState;
  input: Input;
  now: number;
}

export const decisionTask = countedTask(
  'decide',
  ({ definition, run, state, input, now }: DecisionInput, effort) =>
    decide(definition, run, state, input, now, effort),
);

/** Decides the next action of a run in the main thread or, when it is heavy, in a worker thread. */
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

/** Processor time of one simulation. */
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

/** Characters of the event times the number of patterns: each pattern may hash all of the event, more than once. */
const lightMatching = 200_000;

/** Returns for each pattern the key of the waits that the event ends; null when it ends none. */
export const matchTask: Task<MatchInput, (string | null)[]> = {
  name: 'match_event',
  isLight: ({ patterns, data }) =>
    JSON.stringify(data).length * patterns.reduce((sum, paths) => sum + paths.length, 0) <= lightMatching,
  work: ({ patterns, data }) => patterns.map((paths) => matchKeyOf(paths, data)),
};

interface TriggerDataInput {
  schema: TriggerDataSchema;
  /** Both are JSON texts: equal texts are compiled once. */
  schemaText: string;
  data: unknown;
  dataText: string;
}

/** The bound on characters of the schema times characters of the data. Each evaluation takes some nanoseconds. */
const lightProduct = 2_000_000;
/** A reference can be recursive or repeated, and a pattern takes a microsecond per character. */
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
      return uncheckable(error as Error); // such as a stack overflow
    }
  },
};

const uncheckable = ({ message }: Error): DataViolation[] => [
  { pointer: '', message: `it cannot be checked: ${message}`.slice(0, 300) },
];

/** The few hundred most recently used schemas. */
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

/** Returns at most ten violations; empty when the data fits or there is no schema. */
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
    // Data may be nested deeper than the stack allows.
    if (!(error instanceof TaskStopped) && !(error instanceof RangeError)) throw error;
    return uncheckable(error);
  }
}
