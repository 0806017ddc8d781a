// Every simulated provider on its own port, for developing without the real ones (docs/guides/simulators.md).
import { withVendor } from '../../src/kernel/vendors.ts';
import { type Running, type Step, simulators, whyNot } from './all.ts';

const freePorts = process.argv.includes('--free-ports');

const running: { name: string; simulator: Running }[] = [];
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void stopAll().then(() => process.exit(0)));
}

for (const { name, port, start } of simulators) {
  try {
    const simulator = await start(freePorts ? 0 : port, (line) => console.log(`${name.padEnd(9)} ${line}`));
    running.push({ name, simulator });
  } catch (error) {
    console.error(whyNot(name, error));
    await stopAll();
    process.exit(1);
  }
}

const settings = Object.assign({}, ...running.map(({ simulator }) => simulator.settings ?? {}));
console.log(
  [
    ...running.flatMap(({ name, simulator }) => [
      `# ${withVendor(name)} on port ${portsOf(simulator)}`,
      `# ${simulator.url}`,
      ...commandsOf(simulator),
      '',
    ]),
    '# Start Carillon with these settings:',
    ...Object.entries(settings).map(([setting, value]) => `export ${setting}='${value}'`),
    '# and, for the commands above, set',
    '#   CARILLON_LIVE_KEY   a Live key (credentials.json)',
    '#   CARILLON_LIVE_ENV   the environment_id that GET /v1/me shows for it',
    '',
    'The simulators are running; what they receive appears below. Ctrl-C stops them.',
  ].join('\n'),
);

function portsOf({ url, controlUrl }: Running): string {
  const [port, controlPort] = [new URL(url).port, new URL(controlUrl).port];
  return port === controlPort ? port : `${port}, controlled on port ${controlPort}`;
}

function commandsOf({
  steps,
  send,
  controlUrl,
  control = ['script', { faults: ['hang'] }],
}: Running): string[] {
  const notification: Step = { method: 'POST', path: '/v1/notifications', body: send };
  return [
    ...[...steps, notification].map(curl),
    `curl -X POST ${controlUrl}/__${control[0]} -d '${JSON.stringify(control[1])}'`,
  ];
}

function curl({ method, path, body }: Step): string {
  const url = `http://127.0.0.1:8400${path.replace('{env}', '$CARILLON_LIVE_ENV')}`;
  return [
    `curl -X ${method} "${url}" -H "Authorization: Bearer $CARILLON_LIVE_KEY" -H 'Content-Type: application/json' \\`,
    `  -d '${JSON.stringify(body)}'`,
  ].join('\n');
}

async function stopAll(): Promise<void> {
  await Promise.all(running.map(({ simulator }) => simulator.stop()));
}
