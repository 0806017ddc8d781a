/** The limits of a definition and a run. Sizes are characters of JSON unless stated otherwise. */
export const engineLimits = {
  bodyBytes: 262_144,
  bodyDepth: 32,
  steps: 500,
  /** Texts with Liquid: each takes a tenth of a millisecond to parse. */
  templates: 2_000,
  branches: 50,
  matchPaths: 16,
  headers: 50,
  expressionLength: 2_000,
  triggerSchema: 65_536,
  /** Steps executed in one run, including skipped ones: the timeline stays readable, and a loop ends. */
  stepsInRun: 2_000,
  /** Immediate steps in one decision, and their work: a long chain yields to other runs. */
  stepsInDecision: 100,
  workInDecision: { light: 25_000, full: 250_000 },
  /** The output of one step, and of all steps together. */
  output: 65_536,
  outputs: 1_048_576,
  /** The results of a step's templates: one text, and all values of the step. */
  text: 262_144,
  values: 1_048_576,
  digestKey: 512,
  digestItems: 1_000,
  throttleRuns: 1_000,
  url: 2_048,
  simulatedEvents: 100,
} as const;

export const defaultDigestItems = 100;
