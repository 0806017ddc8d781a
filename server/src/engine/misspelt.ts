import { isRecord } from '../kernel/json.ts';
import { createKnownNames, type KnownNames, newNameBudget } from '../kernel/known-names.ts';
import type { DefinitionProblem, Json, JsonObject } from './contract.ts';
import { definitionSchema, stepFields } from './schema.ts';
import { escapePointer } from './value.ts';

/**
 * Finds an unknown field of a body that is close to a known one (`templateKey`). parseDefinition must ignore unknown fields,
 * because versions that were saved with one still run; this check applies when a body is saved. Free-form objects
 * (`template_data`, `match`, `headers`, `body`) are not checked.
 */
export function misspeltField(body: unknown): DefinitionProblem | null {
  const budget = newNameBudget();
  for (const { object, pointer, names } of namedObjects(body)) {
    const misspelt = names.findMisspelt(object, budget);
    if (!misspelt) continue;
    const at = `${pointer}/${escapePointer(misspelt.given)}`;
    const message = `Unknown field ${at}; did you mean ${misspelt.meant}?`;
    return { code: 'unknown_field', message, pointer: at };
  }
  return null;
}

interface NamedObject {
  object: Record<string, unknown>;
  pointer: string;
  names: KnownNames;
}

function* namedObjects(body: unknown): Generator<NamedObject> {
  if (!isRecord(body)) return;
  yield { object: body, pointer: '', names: ofBody };
  for (const [index, step] of listOf(body.steps)) {
    const names = ofSteps.get(String(step.kind));
    if (!names) continue;
    const pointer = `/steps/${index}`;
    yield { object: step, pointer, names };
    if (step.kind === 'send' && isRecord(step.recipient))
      yield { object: step.recipient, pointer: `${pointer}/recipient`, names: ofRecipient };
    if (step.kind !== 'branch') continue;
    for (const [position, branch] of listOf(step.branches))
      yield { object: branch, pointer: `${pointer}/branches/${position}`, names: ofBranch };
  }
}

function* listOf(value: unknown): Generator<[number, Record<string, unknown>]> {
  if (!Array.isArray(value)) return;
  for (const [index, entry] of value.entries()) if (isRecord(entry)) yield [index, entry];
}

const namesIn = (schema: Json | undefined): KnownNames =>
  createKnownNames(Object.keys((schema as JsonObject | undefined)?.properties ?? {}));

const ofBody = namesIn(definitionSchema);
const ofSteps = new Map(
  [...stepFields].map(([kind, fields]) => [kind, createKnownNames(Object.keys(fields))]),
);
const ofRecipient = namesIn(stepFields.get('send')?.recipient);
const ofBranch = namesIn((stepFields.get('branch')?.branches as JsonObject | undefined)?.items);
