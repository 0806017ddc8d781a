import { posix } from 'node:path';

/** The links and pictures of built pages that lead to no file, or to no heading of one. Takes the contents by path. */
export function brokenLinks(files: Map<string, Buffer>, base: string): string[] {
  const pages = new Map(
    [...files].filter(([path]) => path.endsWith('.html')).map(([path, bytes]) => [path, bytes.toString()]),
  );
  const ids = new Map(
    [...pages].map(([path, text]) => [
      path,
      new Set([...text.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id)),
    ]),
  );
  return [...pages].flatMap(([page, text]) => {
    const targets = new Set([...text.matchAll(/\s(?:href|src)="([^"]*)"/g)].map(([, target = '']) => target));
    return [...targets].filter((target) => !leads(target, page)).map((target) => `${page}: ${target}`);
  });

  function leads(target: string, page: string): boolean {
    if (/^(?:https?:|mailto:|data:)/.test(target)) return true;
    const { pathname, hash } = new URL(target, `http://site${posix.join(base, page)}`);
    if (!pathname.startsWith(base)) return false;
    const path = decodeURIComponent(pathname.slice(base.length)).replace(/(^|\/)$/, '$1index.html');
    if (!files.has(path)) return false;
    return hash === '' || (ids.get(path)?.has(decodeURIComponent(hash.slice(1))) ?? false);
  }
}
