export { listTemplateChannels, promoteTemplateWithin } from './cascade.ts';
export { createInlineCheck, hasTags, type InlineCheck, type InlineSources } from './inline.ts';
export { type RenderedContent, RenderFailure } from './render.ts';
export { type CompiledVersion, createTemplateRenderer, type TemplateRenderer } from './renderer.ts';
export { templateRoutes } from './routes.ts';
export { createTemplateService, type TemplateService } from './service.ts';
