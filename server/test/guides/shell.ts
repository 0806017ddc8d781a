import { type ExecFileException, execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { groupsOf } from '../../../site/markdown.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const prelude = fileURLToPath(new URL('./prelude.sh', import.meta.url));
const pageDeadlineMs = 240_000;

/** Why a command of a guide cannot run in a test; the fence names it: ```sh not-run: needs docker. */
export const reasonsNotToRun = [
  'needs docker',
  'needs a public address',
  'needs a registry',
  'needs psql',
  'needs your own PostgreSQL',
  'runs until stopped',
  'stops the service',
  'takes minutes',
] as const;

/** The shell commands of one fence of a page. */
interface Block {
  page: string;
  /** The line of the opening fence. */
  line: number;
  code: string;
  /** What follows `sh` in the fence. */
  info: string;
  notRun: string | null;
}

export const index = 'docs/README.md';

/** README.md, the index and every guide, in the order of the index. */
export function pagesInOrder(): string[] {
  const listed = groupsOf(textOf(index)).flatMap(({ items }) => items.map(({ page }) => `docs/${page}`));
  return ['README.md', ...listed.filter((page) => page.startsWith('docs/guides/'))];
}

export function textOf(page: string): string {
  return readFileSync(join(root, page), 'utf8');
}

export function blocksOf(page: string): Block[] {
  const text = textOf(page);
  return [...text.matchAll(/^ *```(?:sh|bash|shell|console)\b(.*)\n([\s\S]*?)^ *```$/gm)].map((found) => {
    const [, rest = '', code = ''] = found;
    const line = text.slice(0, found.index).split('\n').length;
    const info = rest.trim();
    return { page, line, code, info, notRun: /^not-run: (.*)$/.exec(info)?.[1] ?? null };
  });
}

/** What a reader has who has done what the index says: a folder with the credentials, and a service on this machine. */
export interface Reader {
  folder: string;
  /** The programs that are no programs of the machine, and the settings of the service. */
  env: Record<string, string>;
  /** Addresses of the guides, and where they are in this test. */
  addresses: Record<string, string>;
}

/** Runs the blocks of a page in one shell, as somebody who pastes one after the other. Resolves to what went wrong, or ''. */
export async function runPage(page: string, reader: Reader): Promise<string> {
  const { error, stdout, stderr, scripts } = await runScript(page, scriptOf(page), reader);
  const parts = stdout.split('\u001e');
  const refused = parts.find((part) => /"error": ?\{"(?:type|code)"/.test(part));
  if (!error && refused === undefined) return '';
  const why = error?.killed ? `no end within ${pageDeadlineMs} ms` : stderr.replaceAll(`${scripts}/`, '');
  return `${page}:${(refused ?? parts.at(-1) ?? '').trimEnd()}\n${why.trimEnd()}`;
}

/** What the commands of the index set, as the shell sees it. */
export async function environmentOfIndex(reader: Reader): Promise<Record<string, string>> {
  const { error, stdout, stderr } = await runScript(index, `${scriptOf(index)}env -0`, reader);
  if (error) throw new Error(stderr);
  return Object.fromEntries(
    stdout.split('\0').map((line) => /^(?:[\s\S]*\n)?(\w+)=([\s\S]*)$/.exec(line)?.slice(1) ?? ['', '']),
  );
}

function runScript(page: string, script: string, { folder, env, addresses }: Reader) {
  const scripts = mkdtempSync(join(folder, 'scripts-'));
  const functions = textOf(index).match(/^\w+\(\) \{.*\}$/gm) ?? [];
  const [start, commands] = [
    ['functions.sh', functions.join('\n')],
    [page, script],
  ].map(([name = '', text = '']) => {
    const file = join(scripts, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, withAddresses(text, addresses));
    return file;
  });
  return new Promise<{ error: ExecFileException | null; stdout: string; stderr: string; scripts: string }>(
    (resolve) => {
      execFile(
        'bash',
        ['--noprofile', '--norc', prelude, start ?? '', commands ?? ''],
        { cwd: folder, env, timeout: pageDeadlineMs, maxBuffer: 64 * 1024 * 1024 },
        (error, stdout, stderr) => resolve({ error, stdout, stderr, scripts }),
      );
    },
  );
}

/** The page with nothing but its commands, each in its own line, so that the shell's messages name the line of the page. */
function scriptOf(page: string): string {
  const lines = textOf(page)
    .split('\n')
    .map(() => '');
  for (const { line, code, notRun } of blocksOf(page)) {
    if (notRun !== null) continue;
    lines[line - 1] = `printf '\\036%s\\n' ${line}`;
    lines.splice(line, code.trimEnd().split('\n').length, ...code.trimEnd().split('\n'));
  }
  return `${lines.join('\n')}\n`;
}

function withAddresses(script: string, addresses: Record<string, string>): string {
  return Object.entries(addresses).reduce((text, [address, here]) => text.replaceAll(address, here), script);
}
