import { Tokenizer } from 'htmlparser2';
import {
  bytesOfId,
  idOfBytes,
  type LinkSecret,
  type LinkSecrets,
  makeToken,
  readToken,
} from '../../platform/links/index.ts';

interface Rewriting {
  /** Returns the replacement of a link's URL; null when the link stays unchanged. */
  replaceLink: (url: string) => string | null;
  /** The URL of the tracking image; null when opens are not tracked. */
  pixelUrl: string | null;
}

interface Edit {
  start: number;
  end: number;
  text: string;
}

/** Links are searched for in this much of the HTML, which takes 15 ms; mail clients clip at 100,000 characters, too. */
const maxHtml = 200_000;

/**
 * Replaces the URLs of links, adds the pixel, and leaves every other byte unchanged, because mail clients depend on the exact
 * markup. A tokenizer is used rather than a parser, because its time does not grow with the nesting of untrusted HTML. Links in
 * comments, scripts and styles are ignored.
 */
export function rewriteHtml(html: string, { replaceLink, pixelUrl }: Rewriting): string {
  const edits: Edit[] = [];
  let tag = '';
  let attribute: { name: string; start: number; value: string } | null = null;
  let link: Edit | null = null;
  let isExempt = false;
  let bodyEnd = html.length;

  const endTag = (): void => {
    if (link && !isExempt) edits.push(link);
    link = null;
    isExempt = false;
  };
  const tokenizer = new Tokenizer(
    { xmlMode: false, decodeEntities: true },
    {
      onopentagname(start, end) {
        tag = html.slice(start, end).toLowerCase();
      },
      onattribname(start, end) {
        attribute = { name: html.slice(start, end).toLowerCase(), start, value: '' };
      },
      onattribdata(start, end) {
        if (attribute) attribute.value += html.slice(start, end);
      },
      onattribentity(codePoint) {
        if (attribute) attribute.value += String.fromCodePoint(codePoint);
      },
      onattribend(_quote, end) {
        if (!attribute || (tag !== 'a' && tag !== 'area')) return;
        const { name, start, value } = attribute;
        if (name === 'data-track' && value.trim().toLowerCase() === 'off') isExempt = true;
        if (name !== 'href' || link) return; // browsers use the first of two
        const url = replaceLink(value.trim());
        if (url !== null) link = { start, end, text: `href="${escaped(url)}"` };
      },
      onopentagend: endTag,
      onselfclosingtag: endTag,
      onclosetag(start, end) {
        if (html.slice(start, end).toLowerCase() === 'body') bodyEnd = html.lastIndexOf('<', start);
      },
      oncdata() {},
      oncomment() {},
      ondeclaration() {},
      onend() {},
      onprocessinginstruction() {},
      ontext() {},
      ontextentity() {},
    },
  );
  tokenizer.write(html.slice(0, maxHtml)); // a tag that is cut here does not count
  tokenizer.end();
  if (pixelUrl !== null) {
    const text = `<img src="${escaped(pixelUrl)}" width="1" height="1" alt="" style="border:0;width:1px;height:1px">`;
    edits.push({ start: bodyEnd, end: bodyEnd, text });
  }
  return spliced(html, edits);
}

function spliced(html: string, edits: Edit[]): string {
  const pieces: string[] = [];
  let done = 0;
  for (const { start, end, text } of edits.sort((a, b) => a.start - b.start)) {
    pieces.push(html.slice(done, start), text);
    done = end;
  }
  return pieces.join('') + html.slice(done);
}

function escaped(url: string): string {
  return url.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

/** Longer tokens are not accepted as a path everywhere. */
const maxTokenLength = 1_900;
/** Each link takes 15 µs to sign. */
const maxLinks = 1_000;
/** Unsubscribe links must work even when this service is down, so they are not rewritten. */
const leaveAlone = /unsubscribe|opt-?out/i;

interface Tracking {
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
