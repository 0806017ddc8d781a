import type { TemplateService } from './features/content/templates/index.ts';
import type { LookupSources } from './features/notifications/notifications/index.ts';
import type { CategoryDirectory } from './features/people/preferences/index.ts';
import type { UserDirectory } from './features/people/users/index.ts';
import type { ChatDirectory, SenderDirectory } from './features/providers/connections/index.ts';
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
