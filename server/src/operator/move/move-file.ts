import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';

/**
 * The export file: compressed lines. The first is the manifest, the last the number of rows of each table and a checksum of
 * everything before; in between one row each, `table<tab>JSON`, parents before children.
 */
export interface MoveManifest {
  format: 1;
  organizationId: string;
  name: string;
  moveId: string;
  /** The hash of the code that the target needs to become active, in hexadecimal. */
  activationHash: string;
  /** The migrations of the source: rows fit only into the same schema. */
  migrations: string[];
}

export interface MoveFileEnd {
  rows: Record<string, number>;
  checksum: string;
}

export interface MoveFileWriter {
  row(table: string, json: string): Promise<void>;
  /** Returns once the file is on the disk. */
  end(): Promise<MoveFileEnd>;
}

export async function writeMoveFile(path: string, manifest: MoveManifest): Promise<MoveFileWriter> {
  const zipped = createGzip({ level: 3 });
  // The file holds addresses and messages of people: for its owner only.
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
  const failed = finished(zipped.pipe(file));
  failed.catch(() => {}); // reported by `end`, and by the next write
  const checksum = createHash('sha256');
  const rows: Record<string, number> = {};

  async function write(line: string): Promise<void> {
    checksum.update(line);
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
      const ending: MoveFileEnd = { rows, checksum: checksum.digest('hex') };
      zipped.end(`${JSON.stringify(ending)}\n`);
      await failed;
      return ending;
    },
  };
}

export interface MoveRow {
  table: string;
  json: string;
}

/** Calls `onRow` for each row, in order. Throws unless the file is complete and as it was written. */
export async function readMoveFile(
  path: string,
  onRow: (row: MoveRow, manifest: MoveManifest) => Promise<void> | void,
): Promise<{ manifest: MoveManifest; ending: MoveFileEnd }> {
  const broken = (why: string) => new Error(`${path} cannot be used: ${why}. Export the organization again.`);
  const checksum = createHash('sha256');
  let manifest: MoveManifest | null = null;
  let ending: MoveFileEnd | null = null;
  for await (const line of linesOf(path, broken)) {
    if (ending) throw broken('it goes on after its end');
    if (manifest === null) {
      manifest = manifestOf(line);
      if (manifest === null) throw broken('it is no export of an organization by this release');
    } else if (line.startsWith('{')) {
      ending = JSON.parse(line) as MoveFileEnd;
      if (ending.checksum !== checksum.digest('hex')) throw broken('its checksum is wrong');
      continue;
    } else {
      const at = line.indexOf('\t');
      await onRow({ table: line.slice(0, at), json: line.slice(at + 1) }, manifest);
    }
    checksum.update(`${line}\n`);
  }
  if (manifest === null || ending === null) throw broken('its end is missing');
  return { manifest, ending };
}

function manifestOf(line: string): MoveManifest | null {
  try {
    const manifest = JSON.parse(line) as MoveManifest;
    return manifest.format === 1 ? manifest : null;
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
