import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../harness/app.ts';
import { settled } from './audit.ts';
import { type Endpoint, startEndpoint } from './endpoint.ts';
import { type KillReport, killProcesses } from './kills.ts';
import { type Messages, startMessages } from './messages.ts';
import { type Processes, startProcesses } from './processes.ts';
import { type Readers, startReaders } from './readers.ts';
import { type Runs, startRuns } from './runs.ts';

/** One series of kills for everything that must live through them: it also has to bear what the others do meanwhile. */
describe('kill -9 of API, workers and database under load', () => {
  let processes: Processes;
  let endpoint: Endpoint;
  let messages: Messages;
  let readers: Readers;
  let runs: Runs;
  let ended: Awaited<ReturnType<Runs['ended']>>;
  let killed: KillReport;
  const closing: (() => Promise<void>)[] = [];

  let quarters = 0;
  /** Until another quarter of what the tests want has got through: a machine that is busy with other things takes longer. */
  async function progress(): Promise<void> {
    quarters += 1;
    await waitUntil(async () => {
      const sent = [messages.load.acknowledged.size, readers.load.acknowledged.size];
      const isEnough = sent.every((count) => count > 50 * quarters) && runs.triggered.size > 25 * quarters;
      return isEnough || new Error(`${sent} sent, ${runs.triggered.size} triggered`);
    }, 60_000);
  }

  beforeAll(async () => {
    const closed = <Part extends { close(): Promise<void> }>(part: Part): Part => {
      closing.push(part.close);
      return part;
    };
    processes = await startProcesses();
    closing.push(processes.stop);
    endpoint = closed(await startEndpoint(processes));
    messages = closed(await startMessages(processes, 150));
    readers = closed(await startReaders(processes, 150));
    runs = closed(await startRuns(processes, 150));
    killed = await killProcesses(processes, {
      kills: 6,
      async pause(next) {
        await delay(2_000);
        // The database is killed whatever the API, which was killed before it, has managed to do by then.
        if (next !== 'database') await progress();
      },
      afterKills: () => Promise.all([messages.load.stop(), readers.load.stop(), runs.stop()]),
    });
    ended = await runs.ended();
    await settled(processes);
  }, 240_000);
  afterAll(async () => {
    for (const close of closing.reverse()) await close();
  });

  test('takes over what a worker held, sooner while the database answers, and ends no other process', () => {
    expect(killed.kills).toEqual({ api: 2, worker: 2, database: 2 });
    expect(killed.takeovers.filter(({ leases }) => leases > 0)).not.toEqual([]);
    expect(killed.takeovers.filter(({ hadOutage }) => !hadOutage)).not.toEqual([]);
    // 10 s is the promise; machines that run tests are busy with other things.
    expect(killed.longestTakeoverMs.calm).toBeLessThan(15_000);
    expect(killed.longestTakeoverMs.outage).toBeLessThan(20_000);
    expect(processes.unexpectedEnds()).toEqual([]);
    expect([...messages.load.surprises, ...readers.load.surprises]).toEqual([]);
  });

  test('loses no message and repeats none', async () => {
    const report = await messages.audit();
    expect(report.lost).toEqual([]);
    expect(report.duplicated).toEqual([]);
    // Every key that was tried was repeated until it was acknowledged, so there is one notification for each.
    expect(report.counts.notifications).toBe(report.counts.acknowledged);
    expect(report.counts.acknowledged).toBeGreaterThan(200);
  });

  test('tells every inbox item exactly once', { timeout: 60_000 }, async () => {
    expect(readers.load.acknowledged.size).toBeGreaterThan(200);
    for (const reader of readers.all) {
      const sent = readers.sentTo(reader.user);
      const arrived = () => reader.told('notification.arrived').map(({ data }) => data.id as string);
      await waitUntil(
        async () => arrived().length >= sent.length || new Error(`${arrived().length} of ${sent.length}`),
      );
      await reader.stop();
      expect(arrived().sort()).toEqual(sent.sort());
      expect(reader.told('reset')).toEqual([]);
      expect(reader.connections()).toBeGreaterThan(2);
    }
  });

  test('ends every run, each of its steps once, and loses no item of a digest', async () => {
    const { triggered } = runs;
    expect(triggered.size).toBeGreaterThan(100);
    expect(ended.map(({ id }) => id).sort()).toEqual([...triggered.values()].sort());
    const alike = ['first:sent', 'nap:delayed', 'call:fetched', 'wait:event_received', 'collect:digested'];
    const odd = ended.filter(
      ({ status, shape }) =>
        status !== 'completed' || ![String(alike), String([...alike, 'last:sent'])].includes(String(shape)),
    );
    expect(odd).toEqual([]);

    const [sends] = await processes.ask<{ steps: number; made: number; keys: number }>(
      `select (select count(*)::int from run_steps where kind = 'send') as steps,
         count(*)::int as made, count(distinct idempotency_key)::int as keys
       from notifications where idempotency_key like 'run:%'`,
    );
    expect(sends).toEqual({ steps: sends?.made, made: sends?.made, keys: sends?.made });
    const [digests] = await processes.ask<{ items: number }>(
      `select sum((output ->> 'count')::int)::int as items from run_steps where step_id = 'collect' and output ->> 'count' is not null`,
    );
    expect(digests?.items).toBe(triggered.size);
    expect(runs.calls().size).toBe(triggered.size);
  });

  test('brings every event to its endpoint, and makes none up', { timeout: 120_000 }, async () => {
    const told = await endpoint.told();
    const types = new Map<string, string[]>();
    for (const { notification_id: id, type } of told)
      if (id) types.set(id, [...(types.get(id) ?? []), type].sort());
    const made = await processes.ask<{ id: string }>(
      `select n.id from notifications n join environments e on e.id = n.environment_id where e.kind = 'test'`,
    );
    expect([...types.keys()].sort()).toEqual(made.map(({ id }) => id).sort());
    const expected = ['notification.delivered', 'notification.sent'];
    expect([...types].filter(([, seen]) => String(seen) !== String(expected))).toEqual([]);

    const arrived = endpoint.arrived();
    expect(told.filter(({ event_id, status }) => status !== 'succeeded' || !arrived.has(event_id))).toEqual(
      [],
    );
    expect(arrived.size).toBe(told.length);
    expect(told.length).toBeGreaterThan(200);
  });
});
