import {
  bytesOfId,
  idOfBytes,
  type LinkSecret,
  type LinkSecrets,
  makeToken,
  readToken,
} from '../links/index.ts';
import { rewriteHtml } from './rewrite.ts';

/** Longer tokens are not accepted as a path everywhere. */
const maxTokenLength = 1_900;
/** Each link takes 15 µs to sign. */
const maxLinks = 1_000;
/** Unsubscribe links must work even when this service is down, so they are not rewritten. */
const leaveAlone = /unsubscribe|opt-?out/i;

export interface Tracking {
  opens: boolean;
  clicks: boolean;
}

/** Adds open and click tracking to the HTML of an email. The result is the same in every attempt. */
export function trackedHtml(
  html: string,
  notificationId: string,
  tracking: Tracking,
  { publicUrl, secret }: { publicUrl: string; secret: LinkSecret },
): string {
  const id = bytesOfId(notificationId);
  let links = 0;
  return rewriteHtml(html, {
    pixelUrl: tracking.opens ? `${publicUrl}/t/o/${makeToken(secret, 'open', id)}` : null,
    replaceLink(url) {
      if (!tracking.clicks || links >= maxLinks || !isWebUrl(url) || leaveAlone.test(url)) return null;
      if (['u', 'p', 't'].some((area) => url.startsWith(`${publicUrl}/${area}/`))) return null;
      links += 1;
      const token = makeToken(secret, 'click', Buffer.concat([id, Buffer.from(url)]));
      return token.length > maxTokenLength ? null : `${publicUrl}/t/c/${token}`;
    },
  });
}

function isWebUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username } = new URL(text);
  return (protocol === 'http:' || protocol === 'https:') && username === '';
}

export interface LinkHit {
  environmentId: string;
  notificationId: string;
}

export async function readOpen(secrets: LinkSecrets, token: string): Promise<LinkHit | null> {
  const read = await readToken(secrets, 'open', token);
  if (read?.payload.length !== 16) return null;
  return { environmentId: read.environmentId, notificationId: idOfBytes(read.payload) };
}

/** The destination is part of the signed token: a link that this service did not write is rejected. */
export async function readClick(
  secrets: LinkSecrets,
  token: string,
): Promise<(LinkHit & { url: string }) | null> {
  const read = await readToken(secrets, 'click', token);
  if (!read || read.payload.length <= 16) return null;
  const url = read.payload.subarray(16).toString('utf8');
  if (!isWebUrl(url)) return null;
  return { environmentId: read.environmentId, notificationId: idOfBytes(read.payload.subarray(0, 16)), url };
}
