import { createHmac, hkdfSync } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { keyIdOf, type SealAgain, type SealedColumn } from '../../db/reseal.ts';
import { type Keyring, sameBytes } from '../../kernel/crypto.ts';
import { isUuid } from '../../kernel/ids.ts';
import { isRecord } from '../../kernel/json.ts';

/**
 * The export file: compressed lines. The first is the manifest; then comes one row each, `table<tab>JSON`, parents before children;
 * then the number of rows of each table, and a message authentication code of everything before.
 */
export interface MoveManifest {
  format: 2;
  organizationId: string;
  environmentIds: string[];
  name: string;
  moveId: string;
  /** The hash of the code that the target needs to become active, in hexadecimal. */
  activationHash: string;
  /** The migrations of the source: rows fit only into the same schema. */
  migrations: string[];
}

export interface MoveFileEnd {
  rows: Record<string, number>;
  /** In hexadecimal; the receipt of a complete import. */
  mac: string;
}

/** The file is not an export as its source wrote it, so nothing of it may stay. */
export class UnusableFile extends Error {}

/** The two keys of a file: neither says anything about the other, nor about the transfer key. */
export function keysOf(transferKey: Buffer): { seal: Buffer; authenticate: Buffer } {
  const derived = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', transferKey, '', `carillon organization export ${purpose}`, 32));
  return { seal: derived('seal'), authenticate: derived('authenticate') };
}

export interface MoveFileWriter {
  row(table: string, json: string): Promise<void>;
  /** Returns once the file is on the disk. */
  end(): Promise<MoveFileEnd>;
}

export async function writeMoveFile(
  path: string,
  key: Buffer,
  manifest: MoveManifest,
): Promise<MoveFileWriter> {
  const zipped = createGzip({ level: 3 });
  // The file holds addresses and messages of people: for its owner only.
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
  const failed = finished(zipped.pipe(file));
  failed.catch(() => {}); // reported by `end`, and by the next write
  const code = createHmac('sha256', key);
  const rows: Record<string, number> = {};

  async function write(line: string): Promise<void> {
    code.update(line);
    if (!zipped.write(line)) {
      await Promise.race([new Promise((resolve) => zipped.once('drain', resolve)), failed]);
    }
  }
  await write(`${JSON.stringify(manifest)}\n`);

  return {
    async row(table, json) {
      rows[table] = (rows[table] ?? 0) + 1;
      await write(`${table}\t${json}\n`);
    },
    async end() {
      await write(`${JSON.stringify(rows)}\n`);
      const mac = code.digest('hex');
      zipped.end(`${mac}\n`);
      await failed;
      return { rows, mac };
    },
  };
}

export interface MoveRow {
  table: string;
  json: string;
}

/** Calls `onRow` for each row, in order. Throws unless the file is complete and as it was written with this key. */
export async function readMoveFile(
  path: string,
  key: Buffer,
  onRow: (row: MoveRow, manifest: MoveManifest) => Promise<void> | void,
): Promise<{ manifest: MoveManifest; ending: MoveFileEnd }> {
  const broken = (why: string) =>
    new UnusableFile(`${path} cannot be used: ${why}. Export the organization again.`);
  const code = createHmac('sha256', key);
  let manifest: MoveManifest | null = null;
  let rows: Record<string, number> | null = null;
  let mac: string | null = null;
  for await (const line of linesOf(path, broken)) {
    if (mac !== null) throw broken('it goes on after its end');
    if (rows !== null) {
      mac = code.digest('hex');
      if (!sameBytes(Buffer.from(mac), Buffer.from(line)))
        throw broken('it was changed after the export, or its key is that of another export');
      continue;
    }
    code.update(`${line}\n`);
    if (manifest === null) {
      manifest = manifestOf(line, broken);
    } else if (line.startsWith('{')) {
      rows = JSON.parse(line) as Record<string, number>;
    } else {
      const at = line.indexOf('\t');
      await onRow({ table: line.slice(0, at), json: line.slice(at + 1) }, manifest);
    }
  }
  if (manifest === null || rows === null || mac === null) throw broken('its end is missing');
  return { manifest, ending: { rows, mac } };
}

/** Its ids become part of statements. */
function manifestOf(line: string, broken: (why: string) => Error): MoveManifest {
  const manifest = parsed(line);
  if (isRecord(manifest) && manifest.format === 1)
    throw broken(
      'it comes from a release whose exports were not authenticated. Run this release at the source too',
    );
  if (isManifest(manifest)) return manifest;
  throw broken('it is no export of an organization by this release');
}

function isManifest(value: unknown): value is MoveManifest {
  if (!isRecord(value)) return false;
  const { format, organizationId, environmentIds, name, moveId, activationHash, migrations } = value;
  return (
    format === 2 &&
    isId(organizationId) &&
    Array.isArray(environmentIds) &&
    environmentIds.every(isId) &&
    isId(moveId) &&
    typeof name === 'string' &&
    typeof activationHash === 'string' &&
    Array.isArray(migrations)
  );
}

const isId = (value: unknown): boolean => typeof value === 'string' && isUuid(value);

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

/** `readline` would also split at U+2028, which JSON may contain. */
async function* linesOf(path: string, broken: (why: string) => Error): AsyncGenerator<string> {
  const source = createReadStream(path);
  const text = source.pipe(createGunzip());
  source.on('error', (error) => text.destroy(error));
  let parts: Buffer[] = [];
  try {
    for await (const chunk of text as AsyncIterable<Buffer>) {
      let from = 0;
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
        parts.push(chunk.subarray(from, at));
        yield Buffer.concat(parts).toString('utf8');
        parts = [];
        from = at + 1;
      }
      if (from < chunk.length) parts.push(chunk.subarray(from));
    }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw code.startsWith('Z_') ? broken('it is not complete') : error;
  } finally {
    source.destroy();
  }
}

/**
 * Seals the secrets in a row with another key: those of the file are sealed with a key of its own, so neither installation needs the
 * key of the other. A value whose key is lost stays as it is, and is as useless at the target.
 */
export function createResealer(columns: readonly SealedColumn[], from: Keyring, to: Keyring) {
  let unopened = 0;
  const again: SealAgain = (sealed, context) => {
    if (!from.ids.includes(keyIdOf(sealed))) {
      unopened += 1;
      return sealed;
    }
    return to.seal(from.open(sealed, context), context);
  };
  return {
    row(table: string, json: string): string {
      const sealed = columns.filter((column) => column.table === table);
      if (sealed.length === 0) return json;
      const row = JSON.parse(json) as Record<string, unknown>;
      const texts = Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value)]));
      for (const { column, reseal } of sealed) {
        if (row[column] !== null) row[column] = reseal(row[column], texts, again);
      }
      return JSON.stringify(row);
    },
    /** The number of values whose key is not configured. */
    unopened: () => unopened,
  };
}

export type Resealer = ReturnType<typeof createResealer>;
