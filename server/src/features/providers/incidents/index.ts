export { addUpdate, createIncidentBoard, openIncident, resolveIncident } from './service.ts';
export {
  type IncidentRow,
  listActive,
  listByProvider,
  lockIncidents,
  shown,
  tidyIncidents,
} from './store.ts';
