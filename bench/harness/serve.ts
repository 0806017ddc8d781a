import { type App, type AppOptions, startApp } from '../../server/src/app.ts';
import { loadConfig } from '../../server/src/config.ts';
import { boundHeapGrowth } from '../../server/src/processes/service-process.ts';

/**
 * Runs the service in this process until the parent lets go of it, and tells the parent where it listens. `closeFirst` ends what
 * uses the service.
 */
export async function serve(options: AppOptions = {}, closeFirst = async () => {}): Promise<App> {
  boundHeapGrowth();
  const app = await startApp(loadConfig(process.env), options);
  process.once('disconnect', () => {
    void closeFirst()
      .then(() => app.stop())
      .then(() => process.exit(0));
  });
  process.send?.(app.url);
  return app;
}
