import { get } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, type DashboardHost, startDashboard } from './dashboard.ts';

/** Of what is built: the sources that Vite serves are another size. */
describe.skipIf(!chromiumPath || process.env.DASHBOARD_DEV === '1')('what the dashboard costs', () => {
  let host: DashboardHost;
  beforeAll(async () => {
    host = await startDashboard();
  }, 180_000);
  afterAll(() => host?.stop());

  test('the first page loads at most 200 KB of JavaScript, compressed with gzip', async () => {
    const { page } = await host.open('/test/overview', { fresh: true });
    const scripts = await page.evaluate<string[]>(
      "performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.endsWith('.js'))",
    );
    const sizes = await Promise.all(scripts.map(gzipLength));
    expect(scripts.length).toBeGreaterThan(1);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(200 * 1024);
  }, 90_000);

  test('an idle dashboard makes less than one request a second', async () => {
    const { page } = await host.open('/test/overview', { fresh: true });
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await page.waitForTimeout(15_000); // the promise itself is about time
    expect(requests.length).toBeLessThan(15);
  }, 90_000);
});

function gzipLength(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { 'accept-encoding': 'gzip' } }, (response) => {
      response.resume();
      const length = Number(response.headers['content-length']);
      if (response.headers['content-encoding'] === 'gzip' && length > 0) resolve(length);
      else reject(new Error(`${url} is not served compressed`));
    }).on('error', reject);
  });
}
