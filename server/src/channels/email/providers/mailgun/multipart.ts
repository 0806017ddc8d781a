import { randomBytes } from 'node:crypto';

export type FormPart =
  | { name: string; value: string }
  | { name: string; filename: string; contentType: string; bytes: Buffer };

/**
 * multipart/form-data (RFC 7578). Written by hand, because it is only these few lines and the body must be bytes of known
 * length. The boundary is random, so no content can contain it.
 */
export function encodeForm(parts: FormPart[]): { contentType: string; body: Buffer } {
  const boundary = `carillon-${randomBytes(24).toString('hex')}`;
  const chunks = parts.flatMap((part) => {
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(part.name)}"`;
    if ('value' in part) return [Buffer.from(`${head}\r\n\r\n${part.value}\r\n`)];
    const file = `; filename="${quoted(part.filename)}"\r\nContent-Type: ${part.contentType}\r\n\r\n`;
    return [Buffer.from(head + file), part.bytes, Buffer.from('\r\n')];
  });
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]),
  };
}

/** Browsers escape the same three characters, which cannot appear in a quoted name. */
function quoted(text: string): string {
  return text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
