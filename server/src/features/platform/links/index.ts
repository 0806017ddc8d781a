export { createLinkSecrets, type LinkSecret, type LinkSecrets, linkSealedColumns } from './secrets.ts';
export {
  bytesOfId,
  callbackUrl,
  callbackUrlFor,
  idOfBytes,
  makeToken,
  readCallbackToken,
  readToken,
} from './token.ts';
