import type { ChatDirectory, SenderDirectory } from './features/connections/index.ts';
import type { LookupSources } from './features/notifications/index.ts';
import type { CategoryDirectory } from './features/preferences/index.ts';
import type { TemplateService } from './features/templates/index.ts';
import type { UserDirectory } from './features/users/index.ts';
import type { WebhookDirectory } from './features/webhooks/index.ts';

interface Directories {
  templates: Pick<TemplateService, 'find'>;
  categoryDirectory: CategoryDirectory;
  userDirectory: UserDirectory;
  webhookDirectory: WebhookDirectory;
  chatDirectory: ChatDirectory;
  senderDirectory: SenderDirectory;
}

/** Table: the lookups that accepting a notification needs, over HTTP and in workflows. */
export function allLookups({
  templates,
  categoryDirectory,
  userDirectory,
  webhookDirectory,
  chatDirectory,
  senderDirectory,
}: Directories): LookupSources {
  return {
    findTemplate: templates.find,
    findCategory: categoryDirectory.findCategory,
    ...userDirectory,
    ...webhookDirectory,
    ...chatDirectory,
    findSenderProblem: senderDirectory.findSenderProblem,
  };
}
