import { promises } from 'node:dns';
import { isIP } from 'node:net';
import { usageError } from '../errors.ts';

/** The records of a name, an empty list, or the reason why the query failed. */
type Answer = { records: string[] } | { unasked: string };

export interface Dns {
  txt(name: string): Promise<Answer>;
  mx(name: string): Promise<Answer>;
  addresses(name: string): Promise<Answer>;
}

const absent = ['ENODATA', 'ENOTFOUND'];

/** `server` is an address with an optional port; defaults to the resolvers of this machine. */
export function createDns(server: string | undefined): Dns {
  const resolver = new promises.Resolver({ timeout: 2000, tries: 2 });
  if (server !== undefined) {
    const [, host = server] = /^\[?([^\]]+?)\]?(?::\d+)?$/.exec(server) ?? [];
    if (!isIP(server) && !isIP(host))
      throw usageError('--resolver must be an IP address, such as 1.1.1.1 or 127.0.0.1:53.');
    resolver.setServers([server]);
  }
  const ask = async (question: Promise<string[]>): Promise<Answer> => {
    try {
      return { records: await question };
    } catch (error) {
      const { code = 'unknown' } = error as { code?: string };
      return absent.includes(code) ? { records: [] } : { unasked: code };
    }
  };
  return {
    // A long record is cut into strings of 255 bytes; they are one text.
    txt: (name) => ask(resolver.resolveTxt(name).then((records) => records.map((parts) => parts.join('')))),
    mx: (name) => ask(resolver.resolveMx(name).then((records) => records.map(({ exchange }) => exchange))),
    async addresses(name) {
      const [four, six] = await Promise.all([ask(resolver.resolve4(name)), ask(resolver.resolve6(name))]);
      if ('unasked' in four && 'unasked' in six) return four;
      return { records: [four, six].flatMap((each) => ('records' in each ? each.records : [])) };
    },
  };
}

export const unasked = (code: string) => ({
  status: 'skip' as const,
  detail: `DNS query failed (${code}): offline, or the resolver does not respond`,
  advice: 'Choose another resolver with --resolver.',
});
