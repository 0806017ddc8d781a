import { createChatoneApi } from './channels/chatone/index.ts';
import type { Deps } from './deps.ts';
import { allErasers } from './erasers.ts';
import { createActivityService } from './features/activity/index.ts';
import { createCallbackService, createReportWriter } from './features/callbacks/index.ts';
import {
  chatthreeKind,
  chattwoKind,
  createChatDirectory,
  createChatEndpointsService,
  createChatoneTargets,
  createEmailConnections,
  createEmailSettingsService,
  createInstallationService,
  createSmsCallbackUrl,
  createSmsConnections,
  createSmsSettingsService,
  emailCallbackProviders,
  smsCallbackProviders,
} from './features/connections/index.ts';
import { createContentReader } from './features/dispatch/index.ts';
import { createInboxService, createLiveInbox } from './features/inbox/index.ts';
import { createIncidentBoard } from './features/incidents/index.ts';
import { createLinkSecrets } from './features/links/index.ts';
import { createDrafts, createNotificationService } from './features/notifications/index.ts';
import {
  createCategoryDirectory,
  createCategoryService,
  createPreferenceService,
} from './features/preferences/index.ts';
import { createRunService, wakeRunsOf } from './features/runs/index.ts';
import { createSuppressionService } from './features/suppressions/index.ts';
import { createTemplateService } from './features/templates/index.ts';
import { createUnsubscribeLinks } from './features/unsubscribe/index.ts';
import { createUserDirectory, createUserService } from './features/users/index.ts';
import {
  createDeliveriesService,
  createWebhookDirectory,
  createWebhookEndpointsService,
} from './features/webhooks/index.ts';
import {
  createDefinitions,
  createWorkflowService,
  listWorkflowsWithTemplate,
} from './features/workflows/index.ts';
import { allLookups } from './lookups.ts';

/** The dependencies and every service of a process. */
export interface Services extends ReturnType<typeof createServices> {}

/**
 * Builds every service once, for routes and jobs alike: they share caches and batches. No constructor opens a connection or
 * reads the database, so that an api process has the services of a worker for nothing.
 */
export function createServices(deps: Deps) {
  const { pool, clock, config, outbound } = deps;

  const linkSecrets = createLinkSecrets(deps);
  const unsubscribeLinks = createUnsubscribeLinks({ ...deps, linkSecrets });

  const templates = createTemplateService(deps, listWorkflowsWithTemplate);
  const categoryDirectory = createCategoryDirectory(pool);
  const lookups = allLookups({
    templates,
    categoryDirectory,
    userDirectory: createUserDirectory(pool),
    webhookDirectory: createWebhookDirectory(pool),
    chatDirectory: createChatDirectory(pool),
  });
  const notifications = createNotificationService({ ...deps, lookups }, wakeRunsOf);

  const emailConnections = createEmailConnections(deps);
  const smsCallbackUrl = createSmsCallbackUrl({ ...deps, linkSecrets });
  const smsConnections = createSmsConnections({ ...deps, smsCallbackUrl });
  const chatoneApi = createChatoneApi(outbound, config.CARILLON_CHATONE_API_URL, clock);

  const chatoneTargets = createChatoneTargets({ ...deps, chatoneApi });

  const callbackProviders = { ...emailCallbackProviders(deps), ...smsCallbackProviders(deps) };
  const reportWriter = createReportWriter(deps);

  const definitions = createDefinitions(deps);
  const workflows = createWorkflowService({ ...deps, definitions });
  const erasers = allErasers(deps);

  return {
    ...deps,
    linkSecrets,
    unsubscribeLinks,
    templates,
    categoryDirectory,
    categories: createCategoryService({ ...deps, categoryDirectory }),
    preferences: createPreferenceService(deps),
    suppressions: createSuppressionService(deps),
    lookups,
    notifications,
    drafts: createDrafts({ ...deps, lookups }),
    contents: createContentReader({
      ...deps,
      linkSecrets,
      unsubscribeLinks,
      emailConnections,
      smsConnections,
      chatoneTargets,
    }),
    emailConnections,
    emailSettings: createEmailSettingsService({ ...deps, linkSecrets }),
    smsConnections,
    smsSettings: createSmsSettingsService({ ...deps, smsCallbackUrl }),
    chatoneApi,
    chatoneTargets,
    chatoneInstallations: createInstallationService({ ...deps, chatoneApi, notifications }),
    chattwoEndpoints: createChatEndpointsService({ ...deps, notifications }, chattwoKind(deps)),
    chatthreeEndpoints: createChatEndpointsService({ ...deps, notifications }, chatthreeKind(deps)),
    webhookEndpoints: createWebhookEndpointsService(deps),
    webhookDeliveries: createDeliveriesService(deps),
    callbacks: createCallbackService({ ...deps, linkSecrets, callbackProviders, reportWriter }),
    reportWriter,
    inbox: createInboxService(deps),
    liveInbox: createLiveInbox(deps),
    definitions,
    workflows,
    runs: createRunService({ ...deps, workflows }),
    users: createUserService({ ...deps, erasers }),
    erasers,
    overview: createActivityService(deps),
    incidentBoard: createIncidentBoard(pool, clock),
  };
}
