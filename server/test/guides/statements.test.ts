import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { newSigningSecret, signedHeaders } from '../../src/channels/webhook/post.ts';
import { localhostCertificate, localhostKey } from '../simulators/localhost-certificate.ts';
import { textOf } from './shell.ts';

const sources = fileURLToPath(new URL('../../src/', import.meta.url));

function samplesOf(page: string, language: string): string[] {
  return [...textOf(page).matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(
    ([, code = '']) => code,
  );
}

const runs = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0;

/** Calls the function of the guide with what is on the standard input. */
const caller = `
import json, sys
call = json.load(sys.stdin)
print(verify(call["secret"], call["headers"], call["body"].encode()))
`;

test.skipIf(!runs('python3', '--version'))('the Python code of the guide verifies signatures', () => {
  const code =
    samplesOf('docs/guides/webhooks.md', 'python').find((each) => each.includes('import base64')) ?? '';
  expect(code.trimEnd().split('\n').length).toBeLessThanOrEqual(15);
  const verify = (secret: string, headers: object, body: string) =>
    execFileSync('python3', ['-c', code + caller], { input: JSON.stringify({ secret, headers, body }) })
      .toString()
      .trim();
  const [old, current] = [newSigningSecret(), newSigningSecret()];
  const body = '{"text":"Grüße 你好 🎉"}';
  const headers = { ...signedHeaders([current, old], 'id-1', Date.now(), body) };
  expect(verify(current, headers, body)).toBe('True');
  expect(verify(old, headers, body)).toBe('True');
  expect(verify(newSigningSecret(), headers, body)).toBe('False');
  expect(verify(current, headers, `${body} `)).toBe('False');
  expect(verify(current, { ...signedHeaders([current], 'id-1', Date.now() - 301_000, body) }, body)).toBe(
    'False',
  );
});

/** How each proxy checks a file without starting. nginx wants a whole file, HAProxy a certificate that exists. */
const proxies = {
  nginx: (file: string) => ['-t', '-q', '-c', file],
  haproxy: (file: string) => ['-c', '-q', '-f', file],
  caddy: (file: string) => ['validate', '--adapter', 'caddyfile', '--config', file],
};

test.each(Object.keys(proxies) as (keyof typeof proxies)[])(
  '%s takes the configuration of the guide',
  (name) => {
    const [code] = samplesOf('docs/guides/proxy.md', name);
    expect(code).toBeDefined();
    if (spawnSync(name, name === 'caddy' ? ['version'] : ['-v']).status !== 0) return;
    const folder = mkdtempSync(join(tmpdir(), 'carillon-proxy-'));
    try {
      writeFileSync(join(folder, 'notify.pem'), localhostCertificate);
      writeFileSync(join(folder, 'notify.key'), localhostKey);
      writeFileSync(join(folder, 'notify-with-key.pem'), `${localhostCertificate}\n${localhostKey}`);
      const here = (code ?? '').replaceAll('/etc/ssl/', `${folder}/`);
      const whole = `pid ${folder}/nginx.pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${here}}\n`;
      const file = join(folder, 'proxy.conf');
      writeFileSync(file, name === 'nginx' ? whole : here);
      const { status, stderr, stdout } = spawnSync(name, proxies[name](file), {
        encoding: 'utf8',
        env: { ...process.env, HOME: folder },
      });
      expect([status, status === 0 ? '' : stdout + stderr]).toEqual([0, '']);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);

test('the service calls no host that the page on privacy does not list', () => {
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !path.endsWith('.test.ts'),
  );
  const hosts = files.flatMap((path) =>
    readFileSync(join(sources, path), 'utf8')
      .split('\n')
      .filter((line) => !/^\s*(\/\/|\/?\*)/.test(line))
      .flatMap((line) => [...line.matchAll(/https:\/\/([\w.${}-]+)/g)])
      .map(([, host = '']) => host.replace(/^.*\}\./, '*.')),
  );
  const page = textOf('docs/guides/privacy.md');
  /** What is a name and not an address: a schema, a scope of OAuth, a base for relative URLs, an example in a text. */
  const names = ['json-schema.org', 'www.googleapis.com', 'inbox.invalid'];
  const listed = (host: string): boolean =>
    page.includes(`\`${host}\``) || (host.endsWith('.amazonaws.com') && page.includes('`*.amazonaws.com`'));
  expect(hosts.length).toBeGreaterThan(20);
  const unlisted = hosts.filter(
    (host) =>
      !listed(host) && !names.includes(host) && !/example|\.test$|\.logic\.azure\.com$|^\W/.test(host),
  );
  expect([...new Set(unlisted)]).toEqual([]);
});
