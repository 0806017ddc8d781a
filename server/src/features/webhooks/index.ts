export { createDeliveriesService } from './deliveries-service.ts';
export { listDeliveriesOfNotification } from './deliveries-store.ts';
export { sealSavedUrls, webhookSealedColumns } from './endpoint-url.ts';
export { createWebhookEndpointsService } from './endpoints-service.ts';
export { findEndpoint } from './endpoints-store.ts';
export {
  eraseNotificationEvents,
  forgetEvents,
  listSubscriptions,
  recordEvents,
  recordSubscribed,
  type WebhookEvent,
} from './events.ts';
export { createWebhookJob } from './job.ts';
export { createResumeJob } from './paused.ts';
export { webhookRoutes } from './routes.ts';
export { Delivery as WebhookDelivery } from './schema.ts';
export { createSecretOpener } from './secrets.ts';
export {
  createWebhookDirectory,
  createWebhookTargets,
  type WebhookDirectory,
} from './targets.ts';
export { deliveryView } from './view.ts';
