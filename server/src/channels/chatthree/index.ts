export { createChatthreeCarrier, isGone } from './carrier.ts';
export { avatarUrlProblem, executionOf, usernameProblem } from './payload.ts';
export { isAcceptedUrl } from './url.ts';
