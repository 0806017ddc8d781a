export { newSigningSecret, type PostResult, sendPost } from './post.ts';
