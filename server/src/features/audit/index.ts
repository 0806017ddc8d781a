export { auditRoutes } from './routes.ts';
export { type Actor, type AuditEntry, recordAudit } from './store.ts';
