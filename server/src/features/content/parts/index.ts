export {
  defaultLayoutUse,
  excessOf,
  layoutUse,
  partIndex,
  partialUse,
  problemOf,
  translationsUse,
} from './graph.ts';
export { type Checking, loadPartials } from './input.ts';
export {
  type LayoutSources,
  noParts,
  type PartPins,
  pinsFor,
  pinsKey,
  pseudoLocale,
  type TemplateParts,
} from './pins.ts';
export { createPartReader, type PartReader } from './reader.ts';
export { partRoutes } from './routes.ts';
export { type PartChange, promoteParts, removedParts } from './save.ts';
export { createPartService } from './service.ts';
export { type CurrentPart, listCurrent } from './store.ts';
export { auditViewOf as partAuditViewOf } from './view.ts';
