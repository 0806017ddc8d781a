import { createChatoneApi } from './channels/chatone/index.ts';
import { createSandboxStore } from './channels/sandbox/index.ts';
import type { Deps } from './deps.ts';
import { allErasers } from './erasers.ts';
import { createBroadcastService } from './features/campaigns/broadcasts/index.ts';
import { createBulkActionService } from './features/campaigns/bulk-actions/index.ts';
import { createScheduleService } from './features/campaigns/schedules/index.ts';
import { createPartService } from './features/content/parts/index.ts';
import { createInlineCheck, createTemplateService } from './features/content/templates/index.ts';
import {
  createBrake,
  createBrakeService,
  createBrakeStates,
  createEngagements,
  createHolds,
  createLoopGuard,
  defaultRulesWith,
} from './features/control/brake/index.ts';
import { createSpendRecorder } from './features/control/spend/index.ts';
import { createCallbackService } from './features/delivery/callbacks/index.ts';
import { createContentReader } from './features/delivery/dispatch/index.ts';
import { createPushService } from './features/delivery/push/index.ts';
import { createReportWriter } from './features/delivery/receipts/index.ts';
import { createInboxService, createLiveInbox } from './features/inbox/index.ts';
import { createActivityService } from './features/insight/activity/index.ts';
import { createDrafts, createNotificationService } from './features/notifications/notifications/index.ts';
import { createTopicService } from './features/people/audiences/index.ts';
import { createPreferencePage } from './features/people/preference-page/index.ts';
import {
  createCategoryDirectory,
  createCategoryService,
  createPreferenceService,
} from './features/people/preferences/index.ts';
import { createSuppressionService } from './features/people/suppressions/index.ts';
import { createUnsubscribeLinks } from './features/people/unsubscribe/index.ts';
import { createUserDirectory, createUserService } from './features/people/users/index.ts';
import { createLinkSecrets } from './features/platform/links/index.ts';
import { createNotificationObjects } from './features/platform/objects/index.ts';
import {
  chatthreeKind,
  chattwoKind,
  createChatDirectory,
  createChatEndpointsService,
  createChatoneTargets,
  createChatTargets,
  createEmailConnections,
  createEmailSettingsService,
  createInstallationService,
  createPushConnections,
  createPushSettingsService,
  createSenderDirectory,
  createSmsCallbackUrl,
  createSmsConnections,
  createSmsSettingsService,
  emailCallbackProviders,
  joinCallbackProviders,
  smsCallbackProviders,
} from './features/providers/connections/index.ts';
import { createIncidentBoard } from './features/providers/incidents/index.ts';
import { createProviderHealthTracker, createThrottles } from './features/providers/provider-health/index.ts';
import {
  createDeliveriesService,
  createSecretOpener,
  createWebhookDirectory,
  createWebhookEndpointsService,
  createWebhookTargets,
} from './features/webhooks/index.ts';
import { createNewRuns, createRunService, wakeRunsOf } from './features/workflows/runs/index.ts';
import {
  createDefinitions,
  createWorkflowService,
  listWorkflowsWithTemplate,
} from './features/workflows/workflows/index.ts';
import { allLookups } from './lookups.ts';

/** The dependencies and every service of a process. */
export interface Services extends ReturnType<typeof createServices> {}

/**
 * Builds every service once, so that routes and jobs share caches and batches. Constructors open no connection and read
 * nothing: a process of one role pays nothing for the services of the other.
 */
export function createServices(deps: Deps) {
  const linkSecrets = createLinkSecrets(deps);
  const sandboxStore = createSandboxStore(deps.pool);
  const smsCallbackUrl = createSmsCallbackUrl({ ...deps, linkSecrets });
  const openWebhookSecrets = createSecretOpener(deps);
  const chatoneApi = createChatoneApi(deps.outbound, deps.config.CARILLON_CHATONE_API_URL, deps.clock);
  const objects = createNotificationObjects(deps);
  const delivery = {
    objects,
    linkSecrets,
    sandboxStore,
    unsubscribeLinks: createUnsubscribeLinks({ ...deps, linkSecrets }),
    emailConnections: createEmailConnections({ ...deps, sandboxStore }),
    smsConnections: createSmsConnections({ ...deps, sandboxStore, smsCallbackUrl }),
    webhookTargets: createWebhookTargets({ ...deps, openWebhookSecrets }),
    chatoneTargets: createChatoneTargets({ ...deps, chatoneApi }),
    chatTargets: createChatTargets(deps),
  };

  const parts = createPartService(deps);
  const pushConnections = createPushConnections(deps);
  const pushSettings = createPushSettingsService(deps);
  const templates = createTemplateService(deps, listWorkflowsWithTemplate);
  const categoryDirectory = createCategoryDirectory(deps);
  const senderDirectory = createSenderDirectory(deps);
  const lookups = allLookups({
    templates,
    categoryDirectory,
    userDirectory: createUserDirectory(deps),
    webhookDirectory: createWebhookDirectory(deps),
    chatDirectory: createChatDirectory(deps),
    senderDirectory,
  });
  const checkInline = createInlineCheck(deps);
  const notifications = createNotificationService({ ...deps, lookups, objects, checkInline }, wakeRunsOf);

  const definitions = createDefinitions(deps);
  const workflows = createWorkflowService({ ...deps, definitions });
  const newRuns = createNewRuns({ ...deps, workflows });

  const contents = createContentReader({ ...deps, ...delivery });
  const defaults = defaultRulesWith(deps.config.CARILLON_BRAKE_RECIPIENT_LIMIT);
  const brakeStates = createBrakeStates(deps, defaults);
  const brake = createBrake({ ...deps, states: brakeStates, engagements: createEngagements(deps) });
  const runs = createRunService({
    ...deps,
    newRuns,
    loopGuard: createLoopGuard(deps, { states: brakeStates }),
  });
  const holds = createHolds(deps, { contents, defaults });
  const broadcasts = createBroadcastService({ ...deps, lookups, checkInline, templates, brake });

  const preferences = createPreferenceService(deps);
  const reportWriter = createReportWriter(deps);
  const callbackProviders = joinCallbackProviders([emailCallbackProviders(deps), smsCallbackProviders(deps)]);
  const erasers = allErasers(deps);

  return {
    ...deps,
    ...delivery,
    throttles: createThrottles(deps),
    providerHealth: createProviderHealthTracker(deps),
    contents,
    brake,
    brakeService: createBrakeService({ ...deps, states: brakeStates, holds, defaults }),
    holds,
    brakeStates,
    spend: createSpendRecorder(deps, {
      pricesOf: (environmentId) => brakeStates.get(environmentId)?.prices ?? [],
    }),
    templates,
    parts,
    categories: createCategoryService({ ...deps, categoryDirectory }),
    preferences,
    preferencePage: createPreferencePage({ ...deps, ...delivery, preferences }),
    suppressions: createSuppressionService(deps),
    topics: createTopicService(deps),
    broadcasts,
    users: createUserService({ ...deps, erasers }),
    erasers,
    lookups,
    checkInline,
    notifications,
    bulkActions: createBulkActionService(deps),
    drafts: createDrafts({ ...deps, lookups, objects }),
    definitions,
    workflows,
    newRuns,
    runs,
    schedules: createScheduleService({ ...deps, workflows, broadcasts }),
    emailSettings: createEmailSettingsService({ ...deps, sandboxStore, linkSecrets, senderDirectory }),
    smsSettings: createSmsSettingsService({
      ...deps,
      sandboxStore,
      linkSecrets,
      senderDirectory,
      smsCallbackUrl,
    }),
    chatoneApi,
    chatoneInstallations: createInstallationService({ ...deps, chatoneApi, notifications }),
    chattwoEndpoints: createChatEndpointsService({ ...deps, notifications }, chattwoKind(deps)),
    chatthreeEndpoints: createChatEndpointsService({ ...deps, notifications }, chatthreeKind(deps)),
    webhookEndpoints: createWebhookEndpointsService(deps),
    webhookDeliveries: createDeliveriesService(deps),
    openWebhookSecrets,
    callbacks: createCallbackService({ ...deps, linkSecrets, callbackProviders, reportWriter }),
    reportWriter,
    inbox: createInboxService({ ...deps, actionEvents: runs }),
    pushConnections,
    pushSettings,
    push: createPushService({ ...deps, pushConnections, pushSettings }),
    liveInbox: createLiveInbox(deps),
    overview: createActivityService(deps),
    incidentBoard: createIncidentBoard(deps),
  };
}
