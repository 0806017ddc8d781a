export type * from './contract.ts';
export { stepKinds, stepOutcomes, stepStatuses } from './contract.ts';
export { decide, initialState } from './decide.ts';
export { mergeEntries } from './decision-draft.ts';
export { limits as engineLimits } from './limits.ts';
export { localMoment } from './local-time.ts';
export { eventPatterns, matchKeyOf } from './match.ts';
export { misspeltField } from './misspelt.ts';
export { parseDefinition } from './parse.ts';
export { definitionSchema } from './schema.ts';
export { simulation } from './simulate.ts';
export {
  decideBounded,
  definitionTask,
  matchTask,
  simulationLimitMs,
  simulationTask,
  validateBounded,
  validateTriggerData,
} from './tasks.ts';
export { takePlace } from './throttle.ts';
export { references, validateDefinition } from './validate.ts';
