// What the benchmarks use of packages that are installed only when a benchmark runs: the checks know them from here alone.

declare module 'graphile-worker' {
  export class Logger {
    constructor(scope: () => () => void);
  }
  interface Connection {
    pgPool: object;
    logger: Logger;
  }
  interface WorkerSettings {
    concurrentJobs: number;
    localQueue?: { size: number };
    completeJobBatchDelay?: number;
    failJobBatchDelay?: number;
  }
  export function makeWorkerUtils(connection: Connection): Promise<{
    migrate(): Promise<void>;
    addJobs(jobs: { identifier: string; payload: unknown }[]): Promise<unknown>;
  }>;
  export function run(
    options: Connection & {
      noHandleSignals: boolean;
      taskList: Record<string, (payload: unknown) => Promise<void>>;
      preset: { worker: WorkerSettings };
    },
  ): Promise<{ stop(): Promise<void> }>;
}

declare module 'pg-boss' {
  interface WorkSettings {
    batchSize: number;
    localConcurrency: number;
    burstWhenBatchFull: boolean;
    pollingIntervalSeconds: number;
  }
  export class PgBoss {
    constructor(connection: { connectionString: string });
    on(event: 'error', listener: (error: Error) => void): void;
    start(): Promise<unknown>;
    stop(): Promise<void>;
    createQueue(name: string): Promise<void>;
    insert(name: string, jobs: { data: object }[]): Promise<unknown>;
    work<Data>(
      name: string,
      settings: WorkSettings,
      handler: (jobs: { data: Data }[]) => Promise<void>,
    ): Promise<unknown>;
  }
}

declare module 'bullmq' {
  interface Connection {
    path: string;
    maxRetriesPerRequest: null;
  }
  export class Queue<Data> {
    constructor(name: string, options: { connection: Connection });
    addBulk(jobs: { name: string; data: Data }[]): Promise<unknown>;
    close(): Promise<void>;
  }
  export class Worker<Data> {
    constructor(
      name: string,
      run: (job: { data: Data }) => Promise<void>,
      options: { connection: Connection; concurrency: number; removeOnComplete: { count: number } },
    );
    on(event: 'error', listener: (error: Error) => void): void;
    close(): Promise<void>;
  }
}

declare module '@dbos-inc/dbos-sdk' {
  type Run<Input, Result> = (input: Input) => Promise<Result>;
  export const DBOS: {
    setConfig(config: { name: string; systemDatabaseUrl: string; logLevel: string }): void;
    launch(): Promise<void>;
    shutdown(): Promise<void>;
    registerWorkflow<Input, Result>(
      workflow: Run<Input, Result>,
      options: { name: string },
    ): Run<Input, Result>;
    startWorkflow<Input, Result>(
      workflow: Run<Input, Result>,
    ): (input: Input) => Promise<{ getResult(): Promise<Result> }>;
    runStep<Result>(step: () => Promise<Result>, options: { name: string }): Promise<Result>;
  };
}
