import { execFile, execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canMount } from '../../src/db/embedded/test-harness.ts';
import { buildService } from '../crash/service-process.ts';
import { waitUntil } from '../harness/app.ts';
import { type Supervised, startSupervised } from '../processes/supervised.ts';

const program = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const liveKey = 'crl_live_0123456789abcdefghijABCDEFGHIJ';
const isRoot = process.getuid?.() === 0;
const nobody = { uid: 65534, gid: 65534 };

let folder: string;
beforeAll(async () => {
  await buildService();
  folder = mkdtempSync(join(tmpdir(), 'carillon-backup-'));
  chmodSync(folder, 0o711);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs an operator command as its operator would; resolves to its exit code and output. */
function command(
  dataDir: string,
  args: string[],
  { env = {}, user = {} }: { env?: Record<string, string>; user?: object } = {},
): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const settings = { PATH: process.env.PATH, CARILLON_DATA_DIR: dataDir, CARILLON_PROCESSES: '1', ...env };
    execFile(process.execPath, [program, ...args], { cwd: '/', env: settings, ...user }, (error, out, err) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, output: out + err }),
    );
  });
}

/** A data directory with a database in it, made by a command that starts the database. */
async function makeData(name: string, user: object = {}): Promise<string> {
  const dataDir = join(folder, name);
  const { code, output } = await command(dataDir, ['--rotate-secrets'], { user });
  expect([code, output]).toEqual([0, expect.any(String)]);
  return dataDir;
}

describe('a backup while the service runs', { timeout: 180_000 }, () => {
  /** The subjects of all mails that arrived. */
  const mails: string[] = [];
  let sink: SMTPServer;
  let service: Supervised;
  let smtpUrl: string;

  beforeAll(async () => {
    sink = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onData(stream, _session, done) {
        let text = '';
        stream.on('data', (chunk) => {
          text += chunk;
        });
        stream.on('end', () => {
          mails.push(/^Subject: (.*)$/m.exec(text)?.[1]?.trim() ?? '');
          done();
        });
      },
    });
    sink.on('error', () => {}); // the service is killed with connections open
    await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
    smtpUrl = `smtp://127.0.0.1:${(sink.server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    service?.supervisor.kill('SIGTERM');
    await service?.exitCode();
    await service?.cleanUp();
    await new Promise<void>((resolve) => sink.close(resolve));
  });

  const start = async (dataDir: string): Promise<Supervised> => {
    const started = await startSupervised({
      CARILLON_PROCESSES: '1',
      CARILLON_DATA_DIR: dataDir,
      CARILLON_ENCRYPTION_KEY: '', // the one in the data directory
      CARILLON_BOOTSTRAP_LIVE_KEY: liveKey,
      CARILLON_SMTP_URL: smtpUrl,
      CARILLON_MANAGED_FROM: 'no-reply@acme.example',
    });
    await waitUntil(async () => {
      const isReady = await fetch(`${started.url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
      return isReady || new Error(started.output());
    }, 60_000);
    return started;
  };
  const call = (path: string, body?: object) =>
    fetch(service.url + path, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${liveKey}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  let sent = 0;
  async function send(): Promise<{ id: string; subject: string }> {
    sent += 1;
    const subject = `mail ${sent}`;
    const response = await call('/v1/notifications', {
      channel: 'email',
      recipient: { address: `reader-${sent}@example.com` },
      subject,
      text_body: 'Hello.',
    });
    expect(response.status).toBe(202);
    return { id: ((await response.json()) as { id: string }).id, subject };
  }

  test('restores everything that was acknowledged before it began, and repeats no mail sent before it', async () => {
    const dataDir = join(folder, 'running');
    const backup = join(folder, 'backup of running');
    service = await start(dataDir);
    const before: { id: string; subject: string }[] = [];
    for (let count = 0; count < 20; count += 1) before.push(await send());
    const arrived = () =>
      waitUntil(async () => {
        const missing = before.filter(({ subject }) => !mails.includes(subject));
        return missing.length === 0 || new Error(`not yet: ${missing.map(({ subject }) => subject)}`);
      }, 30_000);
    await arrived();
    await settled();

    let isOver = false;
    const trickle = (async () => {
      while (!isOver) await send();
    })();
    const { code, output } = await command(dataDir, ['--backup', backup]);
    isOver = true;
    await trickle;
    expect([code, output]).toEqual([0, expect.stringContaining(`The backup in ${backup} is complete`)]);
    expect(output).toContain('It contains the encryption key');
    expect(statSync(backup).mode & 0o777).toBe(0o700);
    expect(statSync(join(backup, 'encryption.key')).mode & 0o777).toBe(0o600);

    const busy = await command(dataDir, ['--restore', backup, '--force']);
    expect([busy.code, busy.output]).toEqual([
      1,
      expect.stringMatching(/^Another Carillon .* already uses/m),
    ]);
    const [postgres] = readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n');
    service.supervisor.kill('SIGKILL');
    await service.exitCode();
    process.kill(Number(postgres), 'SIGKILL');
    rmSync(dataDir, { recursive: true });

    const restored = await command(dataDir, ['--restore', backup]);
    expect([restored.code, restored.output]).toEqual([0, expect.stringContaining('is restored')]);
    expect(readdirSync(dataDir).sort()).toEqual(['encryption.key', 'lock', 'postgres', 'postgres.password']);

    await service.cleanUp();
    service = await start(dataDir);
    for (const { id, subject } of before) {
      const response = await call(`/v1/notifications/${id}`);
      expect([subject, response.status, ((await response.json()) as { status: string }).status]).toEqual([
        subject,
        200,
        'sent',
      ]);
    }
    await settled();
    for (const { subject } of before)
      expect([subject, mails.filter((each) => each === subject).length]).toEqual([subject, 1]);

    /** No notification waits or is being sent. */
    async function settled(): Promise<void> {
      await waitUntil(async () => {
        for (const status of ['queued', 'sending']) {
          const response = await call(`/v1/notifications?status=${status}&limit=1`);
          const { data } = (await response.json()) as { data: unknown[] };
          if (data.length > 0) return new Error(JSON.stringify(data));
        }
        return true;
      }, 30_000);
    }
  });
});

describe('a backup of a stopped service', { timeout: 120_000 }, () => {
  let dataDir: string;
  let backup: string;
  beforeAll(async () => {
    dataDir = await makeData('stopped');
    backup = join(folder, 'backup of stopped');
    // A backup that was killed leaves its directory; the next one replaces it.
    mkdirSync(join(`${backup}.partial`, 'postgres'), { recursive: true });
    const { code, output } = await command(dataDir, ['--backup', backup, '--without-key']);
    expect([code, output]).toEqual([0, expect.stringContaining('does not contain the encryption key')]);
  }, 120_000);

  test('leaves no unfinished directory, and has no key when told so', () => {
    expect(existsSync(`${backup}.partial`)).toBe(false);
    expect(readdirSync(backup).sort()).toEqual(['manifest.json', 'postgres', 'postgres.password']);
  });

  test('is never written over another', async () => {
    const { code, output } = await command(dataDir, ['--backup', backup]);
    expect([code, output]).toEqual([1, expect.stringContaining('already exists')]);
  });

  test('is not restored over a database unless told', async () => {
    const before = statSync(join(dataDir, 'postgres')).ino;
    const refused = await command(dataDir, ['--restore', backup]);
    expect([refused.code, refused.output]).toEqual([1, expect.stringContaining('Add --force to replace it')]);
    expect(statSync(join(dataDir, 'postgres')).ino).toBe(before);
    const forced = await command(dataDir, ['--restore', backup, '--force']);
    expect([forced.code, forced.output]).toEqual([0, expect.stringContaining('is restored')]);
    expect(statSync(join(dataDir, 'postgres')).ino).not.toBe(before);
    expect(readdirSync(dataDir).filter((name) => /restored|replaced/.test(name))).toEqual([]);
  });

  test('is not restored when a file of it is damaged or missing, and nothing is changed', async () => {
    const copy = join(folder, 'damaged');
    execFileSync('cp', ['-a', backup, copy]);
    const target = join(folder, 'untouched');
    appendFileSync(join(copy, 'postgres/PG_VERSION'), ' ');
    const damaged = await command(target, ['--restore', copy]);
    expect([damaged.code, damaged.output]).toEqual([
      1,
      expect.stringMatching(/The backup is damaged: .*PG_VERSION was changed/),
    ]);
    rmSync(join(copy, 'postgres/PG_VERSION'));
    const incomplete = await command(target, ['--restore', copy]);
    expect(incomplete.output).toContain('PG_VERSION is missing');
    rmSync(join(copy, 'manifest.json'));
    const without = await command(target, ['--restore', copy]);
    expect(without.output).toContain('is not a backup: it has no manifest.json');
    expect(readdirSync(target)).toEqual(['lock']);
  });

  test('a start finishes a restore that was killed while it replaced key and database', async () => {
    const withKey = join(folder, 'backup with key');
    const made = await command(dataDir, ['--backup', withKey]);
    expect([made.code, made.output]).toEqual([0, expect.stringContaining('It contains the encryption key')]);
    const interrupted = join(folder, 'interrupted');
    execFileSync('cp', ['-a', dataDir, interrupted]);
    const key = join(interrupted, 'encryption.key');
    const otherKey = `${Buffer.alloc(32, 1).toString('base64')}\n`;
    writeFileSync(key, otherKey);
    const killAtKey = `
      import promises from 'node:fs/promises';
      import { syncBuiltinESMExports } from 'node:module';
      const { rename } = promises;
      promises.rename = (from, to) => to === ${JSON.stringify(key)} ? process.kill(process.pid, 'SIGKILL') : rename(from, to);
      syncBuiltinESMExports();`;
    const killed = await command(interrupted, ['--restore', withKey, '--force'], {
      env: { NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(killAtKey)}"` },
    });
    expect(killed.output).not.toContain('is restored');
    expect(existsSync(key)).toBe(false);

    const start = await command(interrupted, ['--rotate-secrets']);
    expect([start.code, start.output]).toEqual([0, expect.stringContaining('finished a restore')]);
    expect(readFileSync(key, 'utf8')).toBe(readFileSync(join(withKey, 'encryption.key'), 'utf8'));
    const others = readdirSync(interrupted).filter((name) => /restored|replaced/.test(name));
    expect(others.map((name) => readFileSync(join(interrupted, name), 'utf8'))).toEqual([otherKey]);
  });

  test.runIf(isRoot)('works for an ordinary user too', async () => {
    const home = join(folder, 'ordinary');
    mkdirSync(home);
    chownSync(home, nobody.uid, nobody.gid);
    const own = await makeData('ordinary/data', nobody);
    const made = await command(own, ['--backup', join(home, 'backup')], { user: nobody });
    expect([made.code, made.output]).toEqual([0, expect.stringContaining('is complete')]);
    rmSync(own, { recursive: true });
    const restored = await command(own, ['--restore', join(home, 'backup')], { user: nobody });
    expect([restored.code, restored.output]).toEqual([0, expect.stringContaining('is restored')]);
    expect(statSync(join(own, 'postgres')).uid).toBe(nobody.uid);
  });

  test.runIf(isRoot && canMount())(
    'ends with a sentence when the disk is full, and keeps nothing',
    async () => {
      const disk = join(folder, 'small disk');
      mkdirSync(disk);
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'carillon-test', disk]);
      try {
        const { code, output } = await command(dataDir, ['--backup', join(disk, 'backup')]);
        expect([code, output]).toEqual([1, expect.stringContaining('is full. No backup was kept')]);
        expect(readdirSync(disk)).toEqual([]);
        const restored = await command(join(disk, 'data'), ['--restore', backup]);
        expect([restored.code, restored.output]).toEqual([1, expect.stringContaining('is too full')]);
        expect(readdirSync(join(disk, 'data'))).toEqual(['lock']);
      } finally {
        execFileSync('umount', [disk]);
      }
    },
  );
});

test('a database of your own is backed up with its own tools', async () => {
  const env = { DATABASE_URL: 'postgres://localhost/none' };
  for (const option of ['--backup', '--restore']) {
    const { code, output } = await command(join(folder, 'none'), [option, join(folder, 'x')], { env });
    expect([code, output]).toEqual([1, expect.stringContaining('pg_dump or pg_basebackup')]);
  }
  const nothing = await command(join(folder, 'none'), ['--backup', join(folder, 'x')]);
  expect([nothing.code, nothing.output]).toEqual([1, expect.stringContaining('There is no database in')]);
  const unnamed = await command(join(folder, 'none'), ['--restore']);
  expect([unnamed.code, unnamed.output]).toEqual([1, 'Usage: npm start -- --restore DIR [--force]\n']);
}, 60_000);
