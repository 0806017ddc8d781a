export type * from './contract.ts';
export { stepKinds, stepOutcomes, stepStatuses } from './contract.ts';
export { decide, initialState, takePass } from './decide.ts';
export { mergeEntries } from './decision-draft.ts';
export { engineLimits } from './limits.ts';
export { eventPatterns, matchKeyOf } from './match.ts';
export { findUnknownField, parseDefinition } from './parse.ts';
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
export { localMoment } from './time.ts';
export { references, validateDefinition } from './validate.ts';
