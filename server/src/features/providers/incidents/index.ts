export { addUpdate, createIncidentBoard, openIncident, resolveIncident } from './service.ts';
export {
  deleteOldIncidents,
  type IncidentRow,
  listActive,
  listByProvider,
  lockIncidents,
  shown,
} from './store.ts';
