export type { Sender, TestMessage } from './accept.ts';
export { type Addition, announce } from './announce.ts';
export { notificationEraser } from './erase.ts';
export {
  type ContentRow,
  type EventType,
  eventEntry,
  type NotificationRow,
  type StoredTraceEntry,
} from './life.ts';
export type { CategoryFact, ConnectionFact, LookupSources, TemplateFact, UserFact } from './lookups.ts';
export { type Backlog, countWaiting, listMissed, type MissedRow } from './overview-store.ts';
export { deleteAttachmentBytes, deleteAttachmentBytesBefore } from './purge.ts';
export { forgetNotifications } from './retention.ts';
export { notificationRoutes } from './routes.ts';
export type { EventEntry, Notification, Priority, Status, Trace } from './schema.ts';
export { createNotificationService, type NotificationService, type WriteOptions } from './service.ts';
export { listStatuses } from './statuses.ts';
export { listAttachmentBytes } from './store.ts';
export { createDrafts, type Draft, type Drafts } from './within.ts';
