export { createInlineCheck, hasTags, type InlineCheck, type InlineSources } from './inline.ts';
export { promoteTemplateWithin } from './promote.ts';
export { type RenderedContent, RenderFailure } from './render.ts';
export { type CompiledVersion, createTemplateRenderer, type TemplateRenderer } from './renderer.ts';
export { templateRoutes } from './routes.ts';
export { createTemplateService, type TemplateService } from './service.ts';
export { listTemplateChannels } from './store.ts';
