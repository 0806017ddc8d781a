export { type Checking, loadPartials } from './input.ts';
export {
  defaultLayoutUse,
  type LayoutSources,
  lackingParts,
  layoutUse,
  noParts,
  type PartPins,
  partialUse,
  pinsFor,
  pinsKey,
  pseudoLocale,
  pseudoTranslation,
  type TemplateParts,
  translationFor,
  translationsUse,
} from './pins.ts';
export { type PartChange, type PromotedPart, promoteParts } from './promote.ts';
export { createPartReader, type PartReader } from './reader.ts';
export { partRoutes } from './routes.ts';
export { createPartService, type PartService } from './service.ts';
export { type CurrentPart, listCurrent } from './store.ts';
export { auditViewOf as partAuditViewOf } from './view.ts';
