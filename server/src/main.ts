import cluster from 'node:cluster';
import { fileURLToPath } from 'node:url';
import { type Config, ConfigError, loadConfig } from './config.ts';
import { version } from './kernel/version.ts';
import { exitCodes } from './processes/invocation.ts';

/**
 * The entry of every process: reads the settings and decides what the process is. Each program is loaded on demand:
 * a supervisor without the service has 50 MB less.
 */
async function main(): Promise<void> {
  if (process.argv.includes('--version')) {
    console.log(version);
    return;
  }
  if (process.argv.includes('--help')) {
    const { helpText } = await import('./processes/service-process.ts');
    console.log(helpText());
    return;
  }

  let config: Config;
  try {
    config = loadConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exit(exitCodes.badSettings); // the channel to a supervisor would keep a process alive
  }

  const hasOptions = process.argv.length > 2;
  if (config.CARILLON_PROCESSES > 1 && cluster.isPrimary && !hasOptions) {
    const { supervise } = await import('./processes/supervisor.ts');
    await supervise(config, fileURLToPath(import.meta.url));
    return;
  }
  const { runCommand, runService } = await import('./processes/service-process.ts');
  if (!(await runCommand(process.argv, config))) await runService(config);
}

await main();
