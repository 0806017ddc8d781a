import type { FastifyRequest } from 'fastify';
import type { Reply } from '../../../http/route.ts';
import { createDashboard } from './dashboard.ts';
import { createGuide } from './guide.ts';

/** Answers requests outside of the API: the documentation site and the dashboard; null for anything else. */
export function createPages(): (request: FastifyRequest) => Reply | null {
  const guide = createGuide();
  const dashboard = createDashboard();
  return (request) => guide(request) ?? dashboard(request);
}
