export { callbackUrl, callbackUrlFor, readCallbackToken } from './callback-url.ts';
export { linkSealedColumns } from './sealed.ts';
export { createLinkSecrets, type LinkSecret, type LinkSecrets } from './secrets.ts';
export { bytesOfId, idOfBytes, makeToken, type Purpose, readToken } from './token.ts';
