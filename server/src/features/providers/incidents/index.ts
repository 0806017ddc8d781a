export { addUpdate, createIncidentBoard, openIncident, resolveIncident } from './service.ts';
export { listActive, listByProvider, lockIncidents, shown, tidyIncidents } from './store.ts';
