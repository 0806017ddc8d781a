import { httpKind } from './http-kind.ts';
import { inbox } from './inbox.ts';
import { large } from './large.ts';
import { parts } from './parts.ts';
import { preferencePage } from './preference-page.ts';
import { createRandom, type Random } from './random.ts';
import { createRouteAreas } from './routes.ts';
import { schemas } from './schemas.ts';
import { sends } from './sends.ts';
import { smtp } from './smtp.ts';
import type { FuzzTarget } from './target.ts';
import { previews, templates } from './templates.ts';
import { type Area, newTrial, type Trial } from './trial.ts';
import { type JsonObject, mutate, shown, sizeOf, smaller } from './values.ts';
import { expressions, runs, workflows } from './workflows.ts';

/** What one turn of the event loop may take of the processor, on the machine of the benchmarks; on a slower one it is that much more. */
export const limitMs = 50;
/** A garbage collection, the compiler or a neighbour on the machine can make one turn long, but not every time. */
const repetitions = 5;
const minimiseForMs = 15_000;
/** Inputs of an area that the next ones are made of: the dearest for each step. */
const poolSize = 12;

interface Extent {
  seed: number;
  /** Inputs for each area beside those that are known, drawn from the seed alone: the same in every run. */
  inputsPerArea?: number;
  /** Or for this long, and led by what was dear so far. */
  forMs?: number;
  /** Whether to look for a smaller input that does the same. */
  minimise?: boolean;
  /** Names of areas; all unless told. */
  areas?: string[];
  log?: (line: string) => void;
}

interface Finding {
  area: string;
  step: string;
  ms: number;
  bytes: number;
  input: string;
}

interface AreaReport {
  area: string;
  inputs: number;
  /** Steps that were answered with success, of all. */
  accepted: number;
  steps: number;
  worstMs: number;
  worstStep: string;
  worstInput: string;
}

interface FuzzReport {
  cpuFactor: number;
  inputs: number;
  areas: AreaReport[];
  findings: Finding[];
}

interface Tried {
  input: JsonObject;
  step: string;
  ms: number;
}

export async function fuzz(target: FuzzTarget, extent: Extent): Promise<FuzzReport> {
  const random = createRandom(extent.seed);
  const cpuFactor = await target.cpuFactor();
  const { routes, lists } = await createRouteAreas(target);
  // Lists last: by then there is something to list.
  const all = [
    ...[routes, previews, templates, parts, sends, smtp, inbox, preferencePage, httpKind],
    ...[expressions, workflows, runs, schemas, large, lists],
  ];
  const searches = all
    .filter(({ name }) => extent.areas?.includes(name) ?? true)
    .map((area) => createSearch(target, area, random, { ...extent, limitMs: limitMs * cpuFactor }));
  const end = extent.forMs === undefined ? null : Date.now() + extent.forMs;
  for (const { area, tryInput } of searches) {
    const step = end === null ? (area.sampleEvery ?? 1) : 1;
    for (const input of area.known.filter((_, index) => index % step === 0)) await tryInput(input);
  }
  if (end === null) {
    for (const search of searches)
      for (let left = extent.inputsPerArea ?? 0; left > 0; left -= 1) await search.tryInput(search.drawn());
  } else {
    for (let turn = 0; Date.now() < end; turn += 1) {
      const search = searches[turn % searches.length] as Search;
      for (let left = search.area.perRound ?? 1; left > 0; left -= 1) await search.tryInput(search.guided());
    }
  }
  return {
    cpuFactor,
    inputs: searches.reduce((sum, { report }) => sum + report().inputs, 0),
    areas: searches.map(({ report }) => report()),
    findings: searches.flatMap(({ findings }) => [...findings.values()]),
  };
}

type Search = ReturnType<typeof createSearch>;

export function createSearch(
  target: FuzzTarget,
  area: Area,
  random: Random,
  { limitMs, minimise, log = () => {} }: Pick<Extent, 'minimise' | 'log'> & { limitMs: number },
) {
  const findings = new Map<string, Finding>();
  const pools = new Map<string, Tried[]>();
  let inputs = 0;
  let accepted = 0;
  let steps = 0;
  let worst: Tried = { input: {}, step: '', ms: 0 };

  async function trialOf(input: JsonObject): Promise<Trial> {
    const trial = newTrial(target);
    await area.run(trial, input);
    return trial;
  }
  const costsOf = async (input: JsonObject) => (await trialOf(input)).costs;

  /** Repetitions do not count as steps: how many there are depends on the machine. */
  async function firstCostsOf(input: JsonObject): Promise<Map<string, number>> {
    const { statuses, costs } = await trialOf(input);
    for (const [kind, count] of statuses) {
      steps += count;
      if (kind === 2) accepted += count;
    }
    return costs;
  }

  /** The least of several: what the input itself takes. */
  async function confirmed(input: JsonObject, step: string, times = repetitions): Promise<number> {
    let least = Number.POSITIVE_INFINITY;
    for (let left = times; left > 0 && least > limitMs; left -= 1)
      least = Math.min(least, (await costsOf(input)).get(step) ?? 0);
    return least;
  }

  async function minimised(input: JsonObject, step: string): Promise<JsonObject> {
    let least = input;
    const end = Date.now() + minimiseForMs;
    for (let isSmaller = true; isSmaller && Date.now() < end; ) {
      isSmaller = false;
      for (const candidate of smaller(least)) {
        if (Date.now() > end) break;
        if (sizeOf(candidate) >= sizeOf(least)) continue;
        if ((await confirmed(candidate as JsonObject, step, 2)) <= limitMs) continue;
        least = candidate as JsonObject;
        isSmaller = true;
        break;
      }
    }
    return least;
  }

  async function tryInput(input: JsonObject): Promise<void> {
    inputs += 1;
    for (const [step, first] of await firstCostsOf(input)) {
      const ms = first > limitMs / 2 ? Math.min(first, (await costsOf(input)).get(step) ?? 0) : first;
      remember({ input, step, ms });
      if (ms <= limitMs || findings.has(step)) continue;
      const least = await confirmed(input, step);
      if (least <= limitMs) continue;
      log(`${area.name}: ${step} held the loop for ${least.toFixed(0)} ms`);
      const small = minimise ? await minimised(input, step) : input;
      findings.set(step, {
        area: area.name,
        step,
        ms: Math.round(least),
        bytes: sizeOf(small),
        input: shown(small),
      });
    }
  }

  function remember(tried: Tried): void {
    if (tried.ms > worst.ms) worst = tried;
    const pool = pools.get(tried.step) ?? [];
    pool.push(tried);
    pool.sort((one, other) => other.ms - one.ms);
    pools.set(tried.step, pool.slice(0, poolSize));
  }

  return {
    area,
    findings,
    tryInput,
    /** Of the seed alone. */
    drawn: (): JsonObject =>
      random.chance(0.5) ? area.fresh(random) : mutate(random.pick(area.known), random),
    /** Mostly of what was dear so far. */
    guided(): JsonObject {
      const pool = random.chance(0.7) && pools.size > 0 ? random.pick([...pools.values()]) : [];
      return pool.length > 0 ? mutate(random.pick(pool).input, random) : area.fresh(random);
    },
    report: (): AreaReport => ({
      area: area.name,
      inputs,
      accepted,
      steps,
      worstMs: Math.round(worst.ms * 10) / 10,
      worstStep: worst.step,
      worstInput: shown(worst.input),
    }),
  };
}
