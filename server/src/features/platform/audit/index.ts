export { auditRoutes } from './routes.ts';
export {
  type Actor,
  type AuditChange,
  type Author,
  clearAuditValues,
  recordAudit,
  recordAuditBatch,
  serviceAuthor,
} from './store.ts';
