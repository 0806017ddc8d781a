import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Io } from '../src/io.ts';
import { run } from '../src/program.ts';

export interface Result {
  code: number;
  out: string;
  err: string;
  /** The lines that replaced each other on the terminal. */
  progress: string[];
}

export interface World {
  folder: string;
  env: Record<string, string | undefined>;
  /** Runs the command in this process, in a folder and a home of its own. */
  run(args: string[], options?: RunOptions): Promise<Result>;
  /** As JSON; fails with what was said when the command did. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever was printed and asserts on it
  json(args: string[], options?: RunOptions): Promise<any>;
  remove(): void;
}

export interface RunOptions {
  /** The standard input. */
  input?: string;
  /** What somebody at a terminal types; without it there is no terminal. */
  answers?: string[];
  /** The standard error is a terminal. */
  terminal?: boolean;
  env?: Record<string, string | undefined>;
  color?: boolean;
  /** Called with every line, and a way to press Ctrl-C. */
  onLine?: (line: string, interrupt: () => void) => void;
}

export function createWorld(env: Record<string, string | undefined> = {}): World {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-cli-'));
  async function runHere(args: string[], options: RunOptions = {}): Promise<Result> {
    let out = '';
    let err = '';
    const progress: string[] = [];
    let handler: (() => void) | null = null;
    const answers = [...(options.answers ?? [])];
    const told = (line: string) =>
      options.onLine?.(line, () => {
        const interrupted = handler;
        handler = null;
        interrupted?.();
      });
    const io: Io = {
      out(line) {
        out += `${line}\n`;
        told(line);
      },
      err(line) {
        err += `${line}\n`;
        told(line);
      },
      progress(line) {
        if (!options.terminal) return;
        progress.push(line);
        told(line);
      },
      showsProgress: options.terminal ?? false,
      env: { ...env, ...options.env },
      cwd: folder,
      home: join(folder, 'home'),
      interactive: options.answers !== undefined,
      color: options.color ?? false,
      readInput: async () => options.input ?? '',
      async ask(question) {
        err += question;
        const answer = answers.shift();
        if (answer === undefined) throw new Error(`nobody answers: ${question}`);
        return answer;
      },
      onInterrupt(next) {
        handler = next;
        return () => {
          handler = null;
        };
      },
      sleep: (ms, signal) =>
        new Promise((resolve, reject) => {
          const stop = () => {
            clearTimeout(timer);
            reject(signal.reason);
          };
          const timer = setTimeout(() => {
            signal.removeEventListener('abort', stop);
            resolve();
          }, ms);
          if (signal.aborted) stop();
          else signal.addEventListener('abort', stop, { once: true });
        }),
    };
    const code = await run(args, io);
    return { code, out, err, progress };
  }
  return {
    folder,
    env,
    run: runHere,
    async json(args, options) {
      const { code, out, err } = await runHere([...args, '--json'], options);
      if (code !== 0) throw new Error(`exit code ${code}: ${err}`);
      return JSON.parse(out);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
