import type { Principal } from '../../../http/principal.ts';

export interface TemplateAuthor {
  principal: Principal;
  requestId: string;
}
