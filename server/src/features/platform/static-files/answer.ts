import type { FastifyRequest } from 'fastify';
import type { Reply } from '../../../http/route.ts';

const encodings = ['br', 'gzip', 'identity'] as const;
type Encoding = (typeof encodings)[number];

/** A file of a build, with its precompressed forms. */
export interface StaticFile {
  contentType: string;
  /** The file name changes with the content, so the file may be cached indefinitely. */
  isImmutable: boolean;
  etag: string;
  bytes: Partial<Record<Encoding, Buffer>>;
}

const forever = 'public, max-age=31536000, immutable';

export function answerFile(
  request: Pick<FastifyRequest, 'headers'>,
  file: StaticFile,
  { cacheControl, headers: more }: { cacheControl: string; headers?: Record<string, string> },
): Reply {
  const encoding = chooseEncoding(request.headers['accept-encoding']?.toString(), file.bytes);
  const etag = `"${file.etag}-${encoding}"`;
  const headers = {
    etag,
    vary: 'accept-encoding',
    'cache-control': file.isImmutable ? forever : cacheControl,
    ...more,
  };
  if (matches(request.headers['if-none-match'], etag)) return { status: 304, headers };
  return {
    status: 200,
    contentType: file.contentType,
    headers: encoding === 'identity' ? headers : { ...headers, 'content-encoding': encoding },
    body: file.bytes[encoding],
  };
}

/** Returns the first of our encodings that the header allows. */
export function chooseEncoding(header: string | undefined, offered: StaticFile['bytes']): Encoding {
  const refused = new Set<string>();
  const allowed = new Set<string>();
  for (const part of (header ?? '').toLowerCase().split(',')) {
    const [name = '', ...params] = part.split(';').map((each) => each.trim());
    const isRefused = params.some((each) => /^q=0(\.0*)?$/.test(each));
    (isRefused ? refused : allowed).add(name);
  }
  const fits = (encoding: Encoding) =>
    offered[encoding] !== undefined && !refused.has(encoding) && (allowed.has(encoding) || allowed.has('*'));
  return encodings.find(fits) ?? 'identity';
}

function matches(header: string | undefined, etag: string): boolean {
  return (header ?? '').split(',').some((each) => ['*', etag, `W/${etag}`].includes(each.trim()));
}
