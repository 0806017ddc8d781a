export { inboxCarrier } from './carrier.ts';
export { htmlProblem, isSafeLink, sanitizeTask } from './sanitize.ts';
