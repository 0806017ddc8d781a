export { type ChatoneApi, createChatoneApi, describeAnswer, scopesOf } from './api.ts';
export { createChatoneCarrier } from './carrier.ts';
export { isGone } from './classify.ts';
export { isConversationId, isUserId } from './ids.ts';
export { fallbackText } from './payload.ts';
export { signatureProblem } from './signature.ts';
