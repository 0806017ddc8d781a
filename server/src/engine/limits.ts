/** What a definition and a run may grow to. Sizes are characters of JSON unless they say otherwise. */
export const limits = {
  bodyBytes: 262_144,
  bodyDepth: 32,
  steps: 500,
  /** Texts with Liquid in them: each takes a tenth of a millisecond to read. */
  templates: 2_000,
  branches: 50,
  matchPaths: 16,
  headers: 50,
  expressionLength: 2_000,
  triggerSchema: 65_536,
  /** Executed in one run, skipped ones included: the timeline stays readable, and a loop ends. */
  stepsInRun: 2_000,
  /** Immediate steps in one decision, and the work that they took: a long chain gives way to others. */
  stepsInDecision: 100,
  workInDecision: { light: 25_000, full: 250_000 },
  /** What one step leaves to later ones; all of them together. */
  output: 65_536,
  outputs: 1_048_576,
  /** What a step's templates may make: one text, and all values of the step. */
  text: 262_144,
  values: 1_048_576,
  digestKey: 512,
  digestItems: 1_000,
  url: 2_048,
  simulatedEvents: 100,
} as const;

export const defaultDigestItems = 100;
