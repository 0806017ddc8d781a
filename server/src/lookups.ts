import type { Deps } from './deps.ts';
import { createChatDirectory } from './features/connections/index.ts';
import type { LookupSources } from './features/notifications/index.ts';
import { type CategoryDirectory, createCategoryDirectory } from './features/preferences/index.ts';
import { createTemplateService, type TemplateService } from './features/templates/index.ts';
import { createUserDirectory } from './features/users/index.ts';
import { createWebhookDirectory } from './features/webhooks/index.ts';

/** Table: the lookups that accepting a notification needs, over HTTP and in workflows. */
export function allLookups(
  deps: Pick<Deps, 'pool' | 'clock' | 'tasks'>,
  templates: Pick<TemplateService, 'find'> = createTemplateService(deps),
  categories: CategoryDirectory = createCategoryDirectory(deps.pool),
): LookupSources {
  return {
    findTemplate: templates.find,
    findCategory: categories.findCategory,
    ...createUserDirectory(deps.pool),
    ...createWebhookDirectory(deps.pool),
    ...createChatDirectory(deps.pool),
  };
}
