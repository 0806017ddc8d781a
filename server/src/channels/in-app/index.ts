export { inboxCarrier } from './carrier.ts';
export { htmlProblem, isSafeLink, sanitizeHtml } from './sanitize.ts';
