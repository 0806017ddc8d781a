import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createOutbound } from '../../../channels/http.ts';
import { loadConfig } from '../../../config.ts';
import { createMetrics } from '../../../kernel/metrics.ts';
import { createS3Store } from './s3.ts';

test('while the store is silent one call at a time waits for it, and the others fail at once', async () => {
  const waiting: ServerResponse[] = [];
  let isSilent = true;
  let calls = 0;
  const server = createServer((_request, response) => {
    calls += 1;
    if (isSilent) waiting.push(response);
    else response.writeHead(204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { objectStore: settings } = loadConfig({
    CARILLON_S3_ENDPOINT: `http://127.0.0.1:${port}`,
    CARILLON_S3_BUCKET: 'bucket',
    CARILLON_S3_ACCESS_KEY_ID: 'key',
    CARILLON_S3_SECRET_ACCESS_KEY: 'secret',
  });
  if (!settings) throw new Error('The settings are complete.');
  const outbound = createOutbound({ policy: 'loopback' });
  const store = createS3Store(settings, {
    ...{ outbound, clock: Date.now, metrics: createMetrics(), deadlineMs: 200 },
  });
  try {
    await expect(store.delete('a')).rejects.toMatchObject({ failure: 'unavailable' });
    expect(calls).toBe(1);
    const results = await Promise.allSettled(['a', 'b', 'c'].map((key) => store.delete(key)));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(calls).toBe(2);
    isSilent = false;
    await store.delete('a');
    await Promise.all(['b', 'c'].map((key) => store.delete(key)));
  } finally {
    await outbound.stop();
    server.closeAllConnections();
    server.close();
  }
});
