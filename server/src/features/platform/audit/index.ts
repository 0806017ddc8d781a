export { auditRoutes } from './routes.ts';
export { type Actor, type AuditEntry, clearAuditValues, recordAudit, recordAuditBatch } from './store.ts';
