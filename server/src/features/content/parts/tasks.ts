import { invalidParameter, Problem } from '../../../kernel/errors.ts';
import { type Budget, createBudget } from '../../../templating/budget.ts';
import { compile, type Flavour, type TemplateUses, variablesOf } from '../../../templating/compile.ts';
import { describeFault, TemplateFault } from '../../../templating/fault.ts';
import type { PartialSources } from '../../../templating/partials.ts';
import { countedTask, runCounted } from '../../../threads/effort.ts';
import { type TaskRunner, TaskStopped } from '../../../threads/task.ts';

/** One source of a layout or partial. */
export interface PartSource {
  /** How the request names it. */
  param: string;
  source: string;
  flavour: Flavour;
  /** A layout must say where the body goes. */
  needsContent: boolean;
}

interface CheckInput {
  sources: PartSource[];
  partials: PartialSources;
}

export const partCheckTask = countedTask(
  'check_part',
  ({ sources, partials }: CheckInput, effort): TemplateUses => {
    const budget = createBudget(effort);
    const uses = sources.map((each) => check(each, partials, budget));
    return {
      translates: uses.some(({ translates }) => translates),
      keys: unique(uses.flatMap(({ keys }) => keys)),
      partials: unique(uses.flatMap((each) => each.partials)),
    };
  },
);

const unique = (names: string[]): string[] => [...new Set(names)].sort();

function check(
  { param, source, flavour, needsContent }: PartSource,
  partials: PartialSources,
  budget: Budget,
) {
  /** The source and every partial that was loaded, however the source writes its name. */
  const useForParsing = () => {
    for (const each of [source, ...Object.values(partials)]) budget.useForReading(each);
  };
  try {
    useForParsing();
    const uses = compile(source, flavour, { locale: null, partials }).uses();
    if (!needsContent) return uses;
    useForParsing();
    if (!variablesOf(source, flavour, partials).some((name) => /^content\b/.test(name)))
      throw invalidParameter(param, `${param} must contain {{ content }}, where the body goes.`);
    return uses;
  } catch (error) {
    if (!(error instanceof TemplateFault)) throw error;
    throw new Problem('template_syntax_error', `${param}: ${describeFault(error.fault)}.`, { param });
  }
}

/** Throws a Problem that names the source at fault. */
export async function checkSources(
  tasks: TaskRunner,
  owner: string,
  input: CheckInput,
): Promise<TemplateUses> {
  try {
    return await runCounted(tasks, partCheckTask, owner, input);
  } catch (error) {
    if (!(error instanceof TaskStopped)) throw error;
    const param = input.sources[0]?.param ?? null;
    throw new Problem('template_syntax_error', `${param}: ${error.message}.`, { param });
  }
}
