import type { Trial } from './trial.ts';
import type { Json, JsonObject } from './values.ts';

/** A workflow may have a thousand versions. */
const versionsOfOne = 900;
let made = 0;
let current = '';

/** Saves a body as a version; null when it is refused. */
export async function save(trial: Trial, body: JsonObject): Promise<string | null> {
  if (made % versionsOfOne === 0) {
    current = `fuzz_${process.pid}_${made}`;
    await trial.ask('POST /v1/workflows', 'POST', '/v1/workflows', { key: current, name: 'Fuzz' });
  }
  made += 1;
  const { status, body: saved } = await trial.ask(
    'POST workflow version',
    'POST',
    `/v1/workflows/${current}/versions`,
    { body },
  );
  return status < 300 ? `/v1/workflows/${current}/versions/${saved.version}` : null;
}

export async function start(trial: Trial, data: Json): Promise<void> {
  const started = await trial.ask('POST workflow trigger', 'POST', `/v1/workflows/${current}/trigger`, {
    trigger_data: data,
  });
  if (started.status >= 300) return;
  const path = `/v1/workflows/runs/${started.body.run_id}`;
  await trial.afterwards('run', async () => {
    const { body } = await trial.target.request('GET', path);
    return !['pending', 'running'].includes(body.status);
  });
  await trial.ask('GET workflow run', 'GET', path);
}

/** The key of the workflow that was saved last. */
export const currentWorkflow = (): string => current;
