import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { waitUntil } from '../harness/app.ts';
import { ScratchCheckout, type Start } from './scratch-checkout.ts';

const deadlineMs = 20_000;
let checkout: ScratchCheckout;
beforeEach(() => {
  checkout = new ScratchCheckout();
});
afterEach(() => checkout.remove());

const says = (start: Start, text: string) =>
  waitUntil(async () => start.output().includes(text) || new Error(start.output()), deadlineMs);
const isReady = (start: Start) => says(start, 'the service is ready');
const hasPages = (start: Start) => says(start, 'the dashboard is ready');
const calls = () => checkout.npmCalls().map(({ command, share }) => `${command} ${share}`);
const waitForCall = (call: string) =>
  waitUntil(async () => calls().includes(call) || new Error(calls().join()), deadlineMs);
/** Ctrl-C in a terminal reaches npm too; a service manager signals the one process. */
const signalGroup = ({ process: { pid = 0 } }: Start, signal: NodeJS.Signals) => process.kill(-pid, signal);
const stop = (start: Start) => {
  start.process.kill('SIGTERM');
  return start.ended;
};

describe.skipIf(process.platform === 'win32')('a first start', { timeout: 60_000 }, () => {
  test('is ready with the packages of the service, and installs those of the dashboard meanwhile', async () => {
    checkout.tell({ pages: 'wait' });
    const first = checkout.run('start.mjs');
    await waitForCall('install pages');
    expect(first.output()).toContain('the service is ready');
    expect(calls()).toEqual(['ci service', 'install pages']);
    await waitUntil(async () => {
      const page = checkout.dashboard();
      return /^503 .*being installed \(3 of 4 packages\)/s.test(page) || new Error(page);
    });
    checkout.tell({});
    await hasPages(first);
    expect(checkout.dashboard()).toBe('200 the dashboard');
    expect(await stop(first)).toBe(0);

    const second = checkout.run('start.mjs');
    await isReady(second);
    await stop(second);
    expect(second.output()).toBe('the service is ready\n');
    expect(calls()).toHaveLength(2);
  });

  test('without a network for the dashboard keeps running, and says how to try again', async () => {
    checkout.tell({ pages: 'fail' });
    const start = checkout.run('start.mjs');
    await says(start, 'npm run build');
    expect(start.output()).toContain(
      'the npm registry at https://registry.example cannot be reached (ENOTFOUND)',
    );
    expect(checkout.dashboard()).toMatch(/^503 .*the setup failed.*npm run build/s);
    expect(start.process.exitCode).toBe(null);
    checkout.tell({});
    expect(await checkout.run('build-dashboard.mjs').ended).toBe(0);
    expect(checkout.dashboard()).toBe('200 the dashboard');
  });

  test('that Ctrl-C ends while it installs takes npm with it, and the next one begins anew', async () => {
    checkout.tell({ service: 'wait' });
    const first = checkout.run('start.mjs');
    await waitForCall('ci service');
    signalGroup(first, 'SIGINT');
    expect(await first.ended).toBe(130);
    await checkout.npmEnded();
    expect(first.output()).not.toContain('failed');

    checkout.tell({});
    const second = checkout.run('start.mjs');
    await hasPages(second);
    expect(calls()).toEqual(['ci service', 'ci service', 'install pages']);
  });

  test.each([
    ['SIGTERM', (start: Start) => start.process.kill('SIGTERM')],
    ['a kill', (start: Start) => signalGroup(start, 'SIGKILL')],
  ])('that %s ends while the dashboard comes is repaired by the next one', async (_name, end) => {
    checkout.tell({ pages: 'wait' });
    const first = checkout.run('start.mjs');
    await waitForCall('install pages');
    await isReady(first);
    end(first);
    await first.ended;
    await checkout.npmEnded();
    expect(first.output()).not.toContain('failed');

    checkout.tell({});
    const second = checkout.run('start.mjs');
    await hasPages(second);
    expect(calls()).toEqual(['ci service', 'install pages', 'install pages']);
    // What was half installed is gone, and what the service runs from has stayed.
    expect(checkout.npmCalls().at(-1)?.present.sort()).toEqual(['esbuild', 'library']);
    expect(checkout.isInstalled('vite')).toBe(true);
    expect(checkout.dashboard()).toBe('200 the dashboard');
  });

  test('beside another one installs and builds once', async () => {
    const starts = [checkout.run('start.mjs'), checkout.run('start.mjs')];
    await Promise.all(starts.map(hasPages));
    expect(calls()).toEqual(['ci service', 'install pages']);
    expect(starts.map((start) => start.output().match(/^built in/gm)?.length ?? 0).sort()).toEqual([0, 1]);
  });
});

describe.skipIf(process.platform === 'win32')('while the dashboard is installed', { timeout: 60_000 }, () => {
  let first: Start;
  beforeEach(async () => {
    checkout.tell({ pages: 'wait' });
    first = checkout.run('start.mjs');
    await waitForCall('install pages');
  });

  test('another start does not wait for it', async () => {
    const second = checkout.run('start.mjs');
    await isReady(second);
    checkout.tell({});
    await Promise.all([first, second].map(hasPages));
    expect(calls()).toEqual(['ci service', 'install pages']);
  });

  test('a command that needs all packages waits, and adds what is missing', async () => {
    const demo = checkout.run('check.mjs');
    await says(demo, 'waiting for another command');
    checkout.tell({});
    await waitForCall('install all');
    await hasPages(first);
    expect(checkout.npmCalls().at(-1)?.present.sort()).toEqual(['esbuild', 'library', 'react', 'vite']);
  });
});

describe.skipIf(process.platform === 'win32')('a later start', { timeout: 60_000 }, () => {
  beforeEach(async () => {
    const start = checkout.run('start.mjs');
    await hasPages(start);
    await stop(start);
  });

  test('with another lockfile installs beside what a service may be running from', async () => {
    checkout.changeLockfile('react');
    await hasPages(checkout.run('start.mjs'));
    expect(calls().slice(2)).toEqual(['install service', 'install pages']);
    for (const { present } of checkout.npmCalls().slice(2))
      expect(present.sort()).toEqual(['esbuild', 'library', 'react', 'vite']);
  });

  test('after npm ci, which forgets the state, makes sure of the packages', async () => {
    rmSync(join(checkout.folder, 'node_modules/.carillon-install'));
    await isReady(checkout.run('start.mjs'));
    expect(calls().slice(2)).toEqual(['install service']);
  });
});
