import type { Outbound } from '../../../channels/http.ts';
import type { Config } from '../../../config.ts';
import type { Pool } from '../../../db/sql.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Log } from '../../../kernel/log.ts';
import type { Metrics } from '../../../kernel/metrics.ts';
import { type ObjectStore, ObjectStoreError } from '../../../kernel/object-store.ts';
import { createS3Store, probe } from './s3.ts';
import { hasObjects } from './store.ts';

interface StartDeps {
  config: Config;
  pool: Pool;
  /** May reach every address: the operator has chosen the endpoint. */
  outbound: Outbound;
  clock: Clock;
  metrics: Metrics;
  log: Log;
}

/**
 * Returns null without settings. Wrong settings stop the start; a store that is down does not, because most notifications do
 * not need it.
 */
export async function openObjectStore(deps: StartDeps): Promise<ObjectStore | null> {
  const { config, log } = deps;
  const settings = config.objectStore;
  if (!settings) {
    if (await hasObjects(deps.pool))
      log.warn('attachments or bodies are in an object store, and this process has no settings for it');
    return null;
  }
  const store = createS3Store(settings, deps);
  try {
    await probe(store, `${config.CARILLON_S3_PREFIX}probe/${newId()}`);
  } catch (error) {
    if (!(error instanceof ObjectStoreError)) throw error;
    if (error.failure !== 'unavailable')
      throw new Error(
        `The object store in CARILLON_S3_BUCKET cannot be used: an object could not be written, read and deleted. ${error.message}`,
      );
    log.warn(
      { err: error },
      'the object store does not answer; sends with attachments are refused until it does',
    );
  }
  return store;
}
