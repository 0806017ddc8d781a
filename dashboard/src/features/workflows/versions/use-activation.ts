import type { WorkflowValidation } from '@carillon/sdk';
import { useWrite } from '../../../api/queries.ts';
import { workflows } from '../../../strings/workflows.ts';

/** Activates a version; the toast explains why an invalid one is rejected. */
export function useActivation(key: string) {
  return useWrite<number, WorkflowValidation>((api, version) => api.workflows.activateVersion(key, version), {
    changes: [['workflows']],
    done: ({ valid, errors }, version) =>
      valid
        ? workflows.editor.activated(version)
        : workflows.editor.notActivated(version, errors[0]?.message ?? ''),
  });
}
