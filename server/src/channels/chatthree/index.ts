export { chatthreeCarriers, createChatthreeCarrier, isAcceptedUrl, isGone } from './carrier.ts';
export { avatarUrlProblem, usernameProblem } from './payload.ts';
