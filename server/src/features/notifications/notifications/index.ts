export {
  checkMessage,
  checkSendAt,
  checkSender,
  type Sender,
  sourceIdOf,
  type TestMessage,
} from './accept.ts';
export { type Addition, announce } from './announce.ts';
export { createDrafts, type Draft, type Drafts } from './drafts.ts';
export { forgetNotifications, notificationEraser } from './eraser.ts';
export {
  appendedHistorySql,
  encodeHistory,
  type StoredHistory,
  traceSql,
  withHistories,
} from './history.ts';
export { type LookupSources, lookUp } from './lookups.ts';
export type { AuthoredContent, ContentRow, NotificationRow, StoredTraceEntry } from './notification-row.ts';
export { type Backlog, countWaiting, listMissed, type MissedRow } from './overview-store.ts';
export { deleteAttachmentBytes, tidyAttachments } from './purge.ts';
export { notificationRoutes } from './routes.ts';
export { type EventEntry, type Notification, type Priority, SendRequest, type Trace } from './schema.ts';
export { createNotificationService, type NotificationService, type WriteOptions } from './service.ts';
export { waitNames } from './status-detail.ts';
export {
  cancelNotifications,
  findOriginalsToResend,
  listAttachmentBytes,
  listContentSizes,
  listMatched,
  listStatuses,
  type MatchedNotification,
  markRedriven,
} from './store.ts';
export { eventEntry } from './view.ts';
