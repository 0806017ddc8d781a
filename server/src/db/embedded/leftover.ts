import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { answers, removeEndpoint, type ServerEndpoint } from './endpoint.ts';
import { commandLine, follow, type ServerPlan } from './launch.ts';
import { type Postmaster, readPidFile, terminate } from './postmaster.ts';
import { isServerOf } from './process.ts';

interface Leftover {
  postmaster: Postmaster;
  endpoint: ServerEndpoint;
}

/**
 * A Carillon that was killed leaves its server running. We hold the lock, so no other process uses the server: it is taken over
 * if it works and runs with our settings, otherwise stopped, so that a new one can start.
 */
export async function takeOverLeftover(plan: Omit<ServerPlan, 'endpoint'>): Promise<Leftover | undefined> {
  for (;;) {
    const file = readPidFile(plan.cluster);
    if (file === undefined) return undefined;
    const postmaster = isServerOf(file.pid, plan.cluster) ? follow(file.pid) : undefined;
    if (postmaster === undefined) {
      removeEndpoint(file.endpoint);
      return undefined;
    }
    if (
      file.status === 'ready' &&
      runsAs({ ...plan, endpoint: file.endpoint }) &&
      (await answers(file.endpoint))
    ) {
      plan.log(`the database was still running (process ${file.pid}); reusing it`);
      return { postmaster, endpoint: file.endpoint };
    }
    if (file.status === 'ready' || file.status === 'stopping') {
      plan.log(`stopping the database that was still running (process ${file.pid})`);
      await terminate(postmaster.identity, plan.binaries.pgCtl);
      removeEndpoint(file.endpoint);
      return undefined;
    }
    await delay(20); // the server is starting
  }
}

/** Returns whether the server's command line matches ours; the server keeps it beside its pid file. */
function runsAs(plan: ServerPlan): boolean {
  const quoted = [plan.binaries.postgres, ...commandLine(plan).map((part) => `"${part}"`)].join(' ');
  try {
    return readFileSync(path.join(plan.cluster, 'postmaster.opts'), 'utf8').trim() === quoted;
  } catch {
    return false;
  }
}
