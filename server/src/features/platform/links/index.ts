export { callbackUrl, callbackUrlFor, readCallbackToken } from './callback-url.ts';
export { createLinkSecrets, type LinkSecret, type LinkSecrets, linkSealedColumns } from './secrets.ts';
export { bytesOfId, idOfBytes, makeToken, readToken } from './token.ts';
