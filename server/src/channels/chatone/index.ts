export { type ChatoneApi, createChatoneApi, describeAnswer, scopesOf, signatureProblem } from './api.ts';
export { createChatoneCarrier, isGone } from './carrier.ts';
export { fallbackText } from './payload.ts';
export { isConversationId, isUserId } from './spec.ts';
