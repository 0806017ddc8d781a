import type { Principal } from '../../../http/principal.ts';

export interface WorkflowAuthor {
  principal: Principal;
  requestId: string;
}
