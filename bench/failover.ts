// Failovers of the database under about 200 sends a second, with real processes and deadlines: lost and doubled sends.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startLoad } from '../server/test/crash/load.ts';
import { configureMail } from '../server/test/crash/messages.ts';
import {
  buildService,
  createServiceProcess,
  type ServiceProcess,
} from '../server/test/crash/service-process.ts';
import { auditFailover } from '../server/test/failover/audit.ts';
import {
  type DatabasePair,
  type DatabaseServer,
  makeTemplate,
  startDatabasePair,
} from '../server/test/failover/database-pair.ts';
import { startTcpProxy, type TcpProxy } from '../server/test/failover/tcp-proxy.ts';
import { startSmtpSimulator } from '../server/test/simulators/smtp.ts';
import { createReport } from './harness/report.ts';

const liveKey = 'crl_live_0123456789abcdefghijABCDEFGHIJ';
/** Eight callers each, which rest between two sends: about 200 a second. */
const loads = ['first', 'second', 'third'];
const restMs = 110;
const calmMs = 4_000;
const mailServerTakesMs = 30;
/** How long a cluster manager takes to notice the loss, in the cases in which it must. */
const outageMs = 5_000;
/** Longer than every deadline of a statement. */
const longOutageMs = 20_000;
const recoverWithinMs = 60_000;
const durable = { fsync: 'on' };

interface Failover {
  /** Where the processes find the database. */
  hosts: 'list' | 'proxy';
  /** Resolves once a primary accepts writes again. */
  run(pair: DatabasePair, proxy: TcpProxy): Promise<DatabaseServer>;
}

const failovers: Record<string, Failover> = {
  'primary killed, list of hosts': {
    hosts: 'list',
    async run({ primary, standby }) {
      await primary.kill();
      await delay(outageMs);
      await standby.promote();
      return standby;
    },
  },
  'primary killed, proxy': {
    hosts: 'proxy',
    async run({ primary, standby }, proxy) {
      await primary.kill();
      await delay(outageMs);
      await standby.promote();
      proxy.redirect(standby.target);
      return standby;
    },
  },
  'switchover, sessions kept': {
    hosts: 'proxy',
    async run({ primary, standby }, proxy) {
      await primary.shutDown();
      await standby.promote();
      await primary.startAsStandby();
      proxy.redirect(standby.target);
      return standby;
    },
  },
  'primary silent, sessions open': {
    hosts: 'proxy',
    async run({ standby }, proxy) {
      proxy.blackhole();
      await delay(outageMs);
      await standby.promote();
      proxy.redirect(standby.target);
      return standby;
    },
  },
  'standby lost, then returns': {
    hosts: 'proxy',
    async run({ primary, standby }) {
      await standby.kill();
      await delay(outageMs);
      await standby.startAsStandby();
      return primary;
    },
  },
  'standby lost, no longer asked for': {
    hosts: 'proxy',
    async run({ primary, standby }) {
      await standby.kill();
      await delay(longOutageMs);
      await primary.ask(`alter system set synchronous_standby_names = ''`);
      await primary.ask('select pg_reload_conf()');
      return primary;
    },
  },
};

const report = createReport('failover');
const template = await makeTemplate(durable);
// The servers do not keep the process alive while it waits for their end.
const alive = setInterval(() => {}, 1_000);
let faults = 0;
try {
  await buildService();
  for (const [name, failover] of Object.entries(failovers)) faults += await trial(name, failover);
} finally {
  rmSync(template, { recursive: true, force: true });
  clearInterval(alive);
}
report.close(faults, { op: '<=', figure: 0 });

/** Returns the number of sends that were lost, doubled or not sent. */
async function trial(name: string, { hosts, run }: Failover): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-failover-'));
  const pair = await startDatabasePair(template, durable);
  const proxy = await startTcpProxy(pair.primary.target);
  const mailServer = await startSmtpSimulator();
  mailServer.script.message = () => delay(mailServerTakesMs, null);
  const processes: ServiceProcess[] = [];
  try {
    for (const [index, roles] of ['api', 'worker', 'worker'].entries()) {
      const created = await createServiceProcess({
        name: `${roles}-${index}`,
        logFile: join(folder, `${index}.log`),
        settings: {
          DATABASE_URL: hosts === 'list' ? pair.urlOfBoth : pair.urlAt(proxy.port),
          CARILLON_DATA_DIR: folder,
          CARILLON_ROLES: roles,
          CARILLON_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
          CARILLON_BOOTSTRAP_LIVE_KEY: liveKey,
          CARILLON_RETRY_SCALE: '0.001',
          CARILLON_BRAKE_RECIPIENT_LIMIT: '0',
        },
      });
      processes.push(created);
      await created.start();
    }
    const url = processes[0]?.url ?? '';
    await configureMail(url, mailServer.port);
    const running = loads.map((load) => startLoad(url, load, message, restMs));
    const acknowledged = () => running.reduce((sum, load) => sum + load.acknowledged.size, 0);
    await delay(calmMs);
    const perSecond = (acknowledged() / calmMs) * 1000;

    const primary = await run(pair, proxy);
    const writableAt = performance.now();
    const [accepted, sent] = await Promise.all([
      grows(acknowledged, writableAt),
      grows(() => mailServer.received.length, writableAt),
    ]);
    await delay(calmMs);
    await Promise.all(running.map((load) => load.stop()));
    const known = new Map(running.flatMap((load) => [...load.acknowledged]));
    const { lost, unsent, miscounted } = await auditFailover(primary, known, mailServer.received);
    const faults = [
      ...lost.map((each) => `lost: ${each}`),
      ...unsent.map((each) => `not sent: ${each}`),
      ...miscounted.map((each) => `mails: ${each}`),
      ...running.flatMap(({ surprises }) => surprises.map((each) => `answer: ${each}`)),
      ...processes.flatMap(({ unexpectedEnds }) => unexpectedEnds),
    ];
    const repeats = running.reduce((sum, load) => sum + load.repeats(), 0);
    report.line(
      `${name.padEnd(34)} ${perSecond.toFixed(0).padStart(4)}/s  accepted after ${accepted} s, sent after ${sent} s, ${known.size} sends, ${repeats} requests repeated, ${faults.length} faults`,
    );
    for (const fault of faults.slice(0, 10)) report.line(`  ${fault}`);
    return faults.length;
  } finally {
    await Promise.all(processes.map((each) => each.kill()));
    await mailServer.stop();
    await proxy.stop();
    await pair.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function message(number: number) {
  return {
    apiKey: liveKey,
    body: {
      channel: 'email',
      recipient: { address: 'ada@example.com' },
      subject: `Message ${number}`,
      text_body: 'It rings.',
      priority: number % 5 === 0 ? 'critical' : 'normal',
    },
  };
}

/** The seconds until a count exceeds its present value. */
async function grows(count: () => number, since: number): Promise<string> {
  const before = count();
  for (; performance.now() - since < recoverWithinMs; await delay(10)) {
    if (count() > before) return ((performance.now() - since) / 1000).toFixed(1);
  }
  return 'more than 60';
}
