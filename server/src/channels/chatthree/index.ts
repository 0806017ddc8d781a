export { chatthreeCarriers, createChatthreeCarrier, isGone } from './carrier.ts';
export { avatarUrlProblem, usernameProblem } from './payload.ts';
export { isAcceptedUrl } from './url.ts';
