import { type App, startApp } from './app.ts';
import { banner, helpText } from './banner.ts';
import { type Config, ConfigError, loadConfig } from './config.ts';
import { findOperatorCommand } from './operator/index.ts';
import { databaseLost, exitCodes, startFailure } from './start-failure.ts';
import { version } from './version.ts';

/** The process: reads settings, handles signals, and sets meaningful exit codes. */
async function main(): Promise<void> {
  if (process.argv.includes('--help')) {
    console.log(helpText());
    return;
  }
  if (process.argv.includes('--version')) {
    console.log(version);
    return;
  }

  let config: Config;
  try {
    config = loadConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exitCode = exitCodes.badSettings;
    return;
  }

  const command = findOperatorCommand(process.argv);
  if (command) {
    try {
      process.exitCode = await command.run(config, (line) => console.log(line), command.args);
    } catch (error) {
      console.error(startFailure(error, config));
      process.exitCode = exitCodes.failure;
    }
    return;
  }

  // Signals are handled from the beginning: a Ctrl-C during the start stops the parts that were started so far.
  let app: App | null = null;
  let stoppingSince: number | null = null;
  const starting = startApp(config, {
    progress: (line) => console.log(line),
    onDatabaseLost(silentMs) {
      console.error(databaseLost(silentMs));
      process.exit(exitCodes.databaseLost);
    },
  });
  const stop = async (signal: string): Promise<void> => {
    if (stoppingSince !== null) {
      // Under `npm start` one signal arrives twice: sent to the whole process group, and forwarded by npm a moment later.
      if (Date.now() - stoppingSince < 1000) return;
      console.error('Stopping immediately.');
      process.exit(1);
    }
    stoppingSince = Date.now();
    if (config.LOG_LEVEL !== 'silent')
      console.log(`\n${signal}: finishing work in progress (repeat to stop immediately)…`);
    const started = app ?? (await starting.catch(() => null));
    await started?.stop();
    process.exit(process.exitCode ?? 0);
  };
  process.on('SIGINT', () => void stop('SIGINT'));
  process.on('SIGTERM', () => void stop('SIGTERM'));

  try {
    app = await starting;
  } catch (error) {
    console.error(startFailure(error, config));
    process.exit(exitCodes.failure);
  }
  if (stoppingSince === null) console.log(banner(app, { isTerminal: process.stdout.isTTY }));
}

await main();
