export {
  type ContentRow,
  type EventType,
  eventEntry,
  type NotificationRow,
  type StoredTraceEntry,
} from './life.ts';
export { notificationRoutes } from './routes.ts';
export type { EventEntry, Notification, Priority, Status } from './schema.ts';
export { createNotificationService, type NotificationService } from './service.ts';
export { deleteAttachmentBytes, deleteAttachmentBytesBefore, listAttachmentBytes } from './store.ts';
