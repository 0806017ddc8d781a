import type { Principal } from '../../http/principal.ts';

/** Who changes something, and with which request. */
export interface WorkflowAuthor {
  principal: Principal;
  requestId: string;
}
