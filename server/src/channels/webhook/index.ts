export { type PostResult, sendPost } from './post.ts';
export { newSigningSecret } from './signing.ts';
