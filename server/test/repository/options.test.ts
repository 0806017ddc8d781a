import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { operatorCommands } from '../../src/operator/index.ts';

const scripts = fileURLToPath(new URL('../../../scripts/', import.meta.url));

/** Without a word more these would start something: the deadline stops what should have been refused. */
function run(script: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [scripts + script, ...args], {
    encoding: 'utf8',
    timeout: 15_000,
  });
  return { code: status, out: stdout, err: stderr };
}

describe.each([
  ['npm start', 'start.mjs', '--reset-pasword', '--reset-password'],
  ['npm run demo', 'demo.mjs', '--hepl', '--help'],
  ['npm run simulators', 'simulators.mjs', '--free-port', '--free-ports'],
])('%s', (_command, script, misspelt, meant) => {
  it('refuses an option that it does not have, and names the one that was meant', () => {
    expect(run(script, misspelt)).toEqual({
      code: 2,
      out: '',
      err: `Unknown option ${misspelt}. Did you mean ${meant}? --help lists all options.\n`,
    });
  });

  it('refuses a word that is no option', () => {
    expect(run(script, 'port=9000')).toEqual({
      code: 2,
      out: '',
      err: `Unknown option port=9000. --help lists all options.\n`,
    });
  });
});

it('npm start knows every command of the operator', async () => {
  const { startOptions } = await import(`${scripts}options.mjs`);
  expect(startOptions).toEqual(['--help', '--version', ...Object.keys(operatorCommands)]);
});

it.each(['demo.mjs', 'simulators.mjs'])('%s says with --help what it takes', (script) => {
  const { code, out } = run(script, '--help');
  expect([code, out]).toEqual([0, expect.stringContaining('--help')]);
});
