export { triggerDataProblem } from './body.ts';
export { credentialsIn } from './credentials.ts';
export {
  type ActiveVersion,
  createDefinitions,
  type Definitions,
  nameOf,
  type PinnedVersion,
} from './definitions.ts';
export { sealSavedVersions } from './housekeeping.ts';
export { workflowRoutes } from './routes.ts';
export { WorkflowKey } from './schema.ts';
export { workflowSealedColumns } from './sealed-body.ts';
export { createWorkflowService, type WorkflowService } from './service.ts';
export { DataObject, SimulatedRun, SimulatedStep, simulationView, stepView } from './simulation.ts';
export { findWorkflow, listPatterns, listWorkflowsWithTemplate } from './store.ts';
export { sourceOf } from './view.ts';
