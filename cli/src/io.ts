/** Everything a command may touch of the world it runs in, so that a test can be that world. */
export interface Io {
  /** The result, to the standard output. A line break is added. */
  out(text: string): void;
  /** Remarks, progress and errors, to the standard error. A line break is added. */
  err(text: string): void;
  /** A line that the next one replaces; only on a terminal. */
  progress(text: string): void;
  /** `progress` is seen. */
  showsProgress: boolean;
  env: Record<string, string | undefined>;
  cwd: string;
  home: string;
  /** True when a terminal can answer prompts. */
  interactive: boolean;
  /** The output is for eyes. */
  color: boolean;
  /** All of the standard input. */
  readInput(): Promise<string>;
  ask(question: string, options?: { hidden?: boolean }): Promise<string>;
  /** While a handler is there, the first Ctrl-C calls it; otherwise, and the second time, the command ends at once. */
  onInterrupt(handler: () => void): () => void;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}
