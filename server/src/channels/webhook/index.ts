export { createWebhookCarrier } from './carrier.ts';
export { type PostResult, postHeaders, sendPost } from './post.ts';
export { newSigningSecret } from './signing.ts';
