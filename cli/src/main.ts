// The process: its streams, its signals and its exit code. Everything else is in program.ts.
import { homedir } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { exitCodes } from './errors.ts';
import type { Io } from './io.ts';
import { run } from './program.ts';

const { stdin, stdout, stderr, env } = process;
let interrupted: (() => void) | null = null;
let progressed = false;

/** The reader closed the pipe, as in `carillon tail | head`. */
stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    const handler = interrupted;
    interrupted = null;
    if (handler) handler();
    else process.exit(exitCodes.interrupted);
  });
}

function clearProgress(): void {
  if (progressed) stderr.write('\r\u001b[K');
  progressed = false;
}

const io: Io = {
  out(line) {
    clearProgress();
    stdout.write(`${line}\n`);
  },
  err(line) {
    clearProgress();
    stderr.write(`${line}\n`);
  },
  progress(line) {
    if (!io.showsProgress) return;
    clearProgress();
    stderr.write(line.slice(0, (stderr.columns ?? 80) - 1));
    progressed = true;
  },
  showsProgress: Boolean(stderr.isTTY),
  env,
  cwd: process.cwd(),
  home: homedir(),
  interactive: Boolean(stdin.isTTY && stderr.isTTY),
  color: env.NO_COLOR ? false : env.FORCE_COLOR ? env.FORCE_COLOR !== '0' : Boolean(stdout.isTTY),
  readInput: () => text(stdin),
  async ask(question, { hidden = false } = {}) {
    clearProgress();
    // What is typed is shown by the interface itself, on its output: a secret has none.
    const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
    const lines = createInterface({ input: stdin, output: hidden ? silent : stderr, terminal: true });
    const ended = new AbortController();
    lines.on('SIGINT', () => ended.abort());
    lines.on('close', () => ended.abort());
    if (hidden) stderr.write(question);
    try {
      return await lines.question(hidden ? '' : question, { signal: ended.signal });
    } catch {
      stderr.write('\n');
      process.exit(exitCodes.interrupted);
    } finally {
      lines.close();
      if (hidden) stderr.write('\n');
    }
  },
  onInterrupt(handler) {
    interrupted = handler;
    return () => {
      if (interrupted === handler) interrupted = null;
    };
  },
  sleep: (ms, signal) => delay(ms, undefined, { signal }),
};

process.exitCode = await run(process.argv.slice(2), io);
