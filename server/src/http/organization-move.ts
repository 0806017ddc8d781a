import { Problem } from '../kernel/errors.ts';

/** An organization on its way to another installation; see `operator/move`. */
export interface OrganizationMove {
  state: 'leaving' | 'moved' | 'arriving';
  movedTo: string | null;
}

/** The header that tells a router where to repeat the request. */
const movedToHeader = 'carillon-moved-to';
const retryAfterSeconds = 10;

export function moveProblem({ state, movedTo }: OrganizationMove): Problem {
  if (state === 'moved') {
    return new Problem('organization_moved', `This organization has moved to ${movedTo}.`, {
      headers: { [movedToHeader]: movedTo ?? '' },
    });
  }
  return new Problem('organization_moving', 'This organization is being moved. Try again later.', {
    headers: { 'retry-after': String(retryAfterSeconds) },
  });
}

/** The problem behind a write that the fence of a moving organization has refused; null for any other error. */
export function moveProblemOf(error: unknown): Problem | null {
  const { code, detail } = (error ?? {}) as { code?: unknown; detail?: unknown };
  if (code === 'CM503') return moveProblem({ state: 'leaving', movedTo: null });
  if (code === 'CM421') return moveProblem({ state: 'moved', movedTo: String(detail) });
  return null;
}
