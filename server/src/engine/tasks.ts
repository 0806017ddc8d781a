import type { ValidateFunction } from 'ajv/dist/2020.js';
import { type Task, type TaskRunner, TaskStopped } from '../kernel/threads/task.ts';
import type { DataViolation, Definition, ParsedDefinition } from './contract.ts';
import { parseDefinition } from './parse.ts';
import {
  compileTriggerSchema,
  type TriggerDataSchema,
  triggerSchemaProblem,
  violationsOf,
} from './trigger-data.ts';

/**
 * What a tenant's workflow makes the process compute, apart from its runs. Small bodies without a schema, and small data against
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
    if (!(error instanceof TaskStopped)) throw error;
    return uncheckable(error);
  }
}
