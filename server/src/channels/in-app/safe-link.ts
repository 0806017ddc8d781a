const base = 'https://inbox.invalid';

/** Links of an item are http, https, or relative to the page that shows it. */
export function isSafeLink(url: string): boolean {
  if (/[\p{Cc}\s\\]/u.test(url)) return false; // browsers drop or convert these, which gives a different address
  const absolute = /^https?:\/\/[^/]/i.test(url);
  if (!absolute && /^[a-z][a-z\d+.-]*:/i.test(url)) return false;
  const parsed = URL.canParse(url, base) ? new URL(url, base) : null;
  if (!parsed || parsed.username || parsed.password) return false;
  return absolute || parsed.origin === base;
}
