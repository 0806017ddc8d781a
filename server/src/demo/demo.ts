import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, startApp } from '../app.ts';
import { loadConfig } from '../config.ts';
import { startTemporaryPostgres } from '../db/embedded/index.ts';
import { channelSteps, webhookSteps } from './channels.ts';
import { consentSteps } from './consent.ts';
import { emailSteps, templateSteps } from './email.ts';
import { createDemoEnvironment } from './environment.ts';
import { inboxSteps } from './inbox.ts';
import { workflowSteps } from './workflows.ts';

/** A new demonstration is a scene in this list. */
const scenes = [
  ...emailSteps,
  ...channelSteps,
  ...templateSteps,
  ...consentSteps,
  ...webhookSteps,
  ...inboxSteps,
  ...workflowSteps,
];

/** Starts the whole service with a database of its own that is removed when the demo ends. Nothing leaves this machine. */
async function start(): Promise<{ app: App; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-demo-'));
  const postgres = await startTemporaryPostgres();
  const app = await startApp(
    loadConfig({
      PORT: '0',
      DATABASE_URL: postgres.url,
      CARILLON_DATA_DIR: folder,
      CARILLON_RETRY_SCALE: '0.01', // the first retry after a tenth of a second instead of ten
      LOG_LEVEL: 'error',
    }),
  );
  return {
    app,
    async stop() {
      await app.stop();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const { app, stop } = await start();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void stop().finally(() => process.exit(1)));
console.log(`\nCarillon runs at ${app.url} during this demo; every message ends in the sandbox.\n`);
const demo = createDemoEnvironment(app);
for (const { title, play } of scenes) {
  console.log(title);
  try {
    await play(demo);
  } catch (error) {
    process.exitCode = 1;
    console.error(`  ${error instanceof Error ? error.message : error}\n`);
  }
}
await stop();
