export { insertItems } from './changes-store.ts';
export { eraseInboxItems, inboxEraser } from './eraser.ts';
export { tidyInbox } from './housekeeping.ts';
export { createLiveInbox } from './live.ts';
export { createRecipientAuthenticator } from './recipients.ts';
export { inboxRoutes } from './routes.ts';
export { inboxSealedColumns } from './sealed.ts';
export { createInboxService } from './service.ts';
export { inboxTopic } from './topic.ts';
