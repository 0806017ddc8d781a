import { startApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config.ts';
import type { Route } from '../../src/http/route.ts';
import { allRoutes } from '../../src/routes.ts';
import { cpuFactor, watchEventLoop } from './event-loop.ts';

/** An operation as the fuzzer sees it. */
export type Operation = Pick<
  Route,
  'method' | 'path' | 'operation' | 'access' | 'body' | 'query' | 'params' | 'rawBody'
>;

export interface Started {
  url: string;
  smtpPort: number;
  operations: Operation[];
}

/** Each is answered with a number. */
export type Question = 'longest block' | 'cpuFactor';

/** The service as it is, in a process of its own that also says how long the turns of its event loop were. */
let table: Route[] = [];
const app = await startApp(loadConfig(process.env), {
  routes: (services, options) => {
    table = allRoutes(services, options);
    return table;
  },
});
const watch = watchEventLoop();
process.on('message', (question: Question) => {
  // The turn that answered the request has ended then.
  setImmediate(() => process.send?.(question === 'cpuFactor' ? cpuFactor() : watch.take()));
});
process.once('disconnect', () => {
  watch.stop();
  void app.stop().then(() => process.exit(0));
});

const operations = table.map(
  ({ method, path, operation, access, body, query, params, rawBody }): Operation => ({
    method,
    path,
    operation,
    access,
    ...(body ? { body } : {}),
    ...(query ? { query } : {}),
    ...(params ? { params } : {}),
    ...(rawBody ? { rawBody } : {}),
  }),
);
process.send?.({ url: app.url, smtpPort: app.smtpPort ?? 0, operations } satisfies Started);
