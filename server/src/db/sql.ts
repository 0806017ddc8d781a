import pg from 'pg';
import { steadyClock } from '../kernel/clock.ts';
import { isConflict, isStalePlan, repeatConflicts } from './conflicts.ts';
import { HostClient, type HostClientConfig, HostList } from './hosts.ts';
import { AbandonedCommits, UnfinishedWrites } from './pending-writes.ts';

/**
 * Runs a query. The pool and an open transaction both implement it, and every store function takes it as its first argument, so
 * no query escapes the transaction by accident.
 */
export interface Sql {
  query<Row extends pg.QueryResultRow = pg.QueryResultRow>(
    config: pg.QueryConfig,
  ): Promise<pg.QueryResult<Row>>;
}

/** A statement without an answer by then is given up, and its connection is destroyed. */
const statementDeadlineMs = 15_000;
/** The server cancels a statement a second earlier, so that nothing goes on running for a client that has given up. */
const cancelEarlierMs = 1_000;
const connectWithinMs = 10_000;
const endWithinMs = 5_000;
const stoppingDeadlineMs = 1_000;
const sweepsPerDeadline = 15;
const maxSweepMs = 1_000;
/** The delay before a silent connection is probed. Linux then gives a dead peer 10 s more. */
export const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

/** The deadline of a statement passed without an answer. */
class DeadlineMissed extends Error {
  readonly code = 'deadline_missed';
}

type ConnectionConfig = HostClientConfig & { abandoned: AbandonedCommits };

class Connection extends HostClient {
  /** The id of the server's process; null before the connection is open. The types of `pg` lack it. */
  declare readonly processID: number | null;
  readonly #abandoned: AbandonedCommits;
  readonly #waitMs: number;
  /** The time since the last statement was sent; null while the connection is idle in its pool. */
  sentMs: number | null = null;
  /** The deadline of this connection, where it differs from that of its pool. */
  deadlineMs: number | undefined;

  constructor(config: ConnectionConfig) {
    super(config);
    this.#abandoned = config.abandoned;
    this.#waitMs = (config.connectionTimeoutMillis ?? 0) / config.hostList.hosts.urls.length;
  }

  protected override async checkServer(): Promise<void> {
    await super.checkServer();
    await this.#abandoned.waitForRoom(this, this.#waitMs);
  }

  override query(...given: unknown[]): never {
    this.sentMs = 0;
    return Reflect.apply(super.query, this, given) as never;
  }

  /** Destroys the socket: the server may be gone, and a goodbye would wait for it. Statements under way fail with the error. */
  drop(error: Error): void {
    // The pool forgets an idle connection at its error, and a destroyed socket reports that only in the next tick.
    if (this.sentMs === null) this.emit('error', error);
    else this.#abandoned.add(this.processID);
    this.connection.stream.destroy(error);
  }
}

export interface PoolOptions {
  /** For pools whose statements take longer than others, and for tests. */
  deadlineMs?: number;
  connectWithinMs?: number;
  /**
   * A pooler such as PgBouncer stands between: it refuses settings at the start of a session, and in transaction mode a session
   * is shared. So each transaction brings its settings (`set local`), in the message that begins it.
   */
  throughPooler?: boolean;
}

/**
 * Connections to the database on which no statement waits without a deadline. A connection that misses it is destroyed, so a
 * late answer is never read as the answer to another statement, and takes the idle ones with it: they probably lead to the same
 * server. One sweep looks at all connections; `query_timeout` of `pg`, a timer for each statement, cost 3 to 7 µs of 85.
 */
export class Pool extends pg.Pool {
  readonly writes = new UnfinishedWrites();
  /** Called when a connection has found a silent or read-only server. `watchDatabase` tells the other pools too. */
  onWrongServer = (): void => this.dropIdle();
  /** The text that begins a transaction. */
  readonly begin: string;
  readonly #connections = new Set<Connection>();
  #deadlineMs: number;
  readonly #sweep: NodeJS.Timeout;
  #hasAnswered = false;

  constructor(connectionString: string, max: number, settings: Record<string, string>, options: PoolOptions) {
    const deadlineMs = options.deadlineMs ?? statementDeadlineMs;
    const statement_timeout = `${Math.max(deadlineMs - cancelEarlierMs, deadlineMs / 2)}`;
    const local = { statement_timeout, ...settings };
    const { throughPooler = false } = options;
    const startup = { timezone: 'UTC', ...(throughPooler ? {} : local) }; // poolers know the time zone of a session
    const hostList = new HostList(connectionString);
    const config: pg.PoolConfig & ConnectionConfig = {
      hostList,
      abandoned: new AbandonedCommits(throughPooler ? Number.POSITIVE_INFINITY : max),
      max,
      options: startupOptions(hostList.hosts.options, startup),
      pipeline: true, // see `transaction`
      // A connection takes 3 to 5 MB of the server, and opening one some milliseconds. The last ones stay: every tick uses them.
      idleTimeoutMillis: 10_000,
      connectionTimeoutMillis: options.connectWithinMs ?? connectWithinMs,
      ...keepAlive,
      Client: Connection as unknown as new () => pg.ClientBase, // the pool passes its options to the constructor
    };
    super(config);
    this.begin = ['begin', ...(throughPooler ? setLocal(local) : [])].join('; ');
    const send = throughPooler
      ? (config: pg.QueryConfig) => inTransaction(this, config)
      : this.query.bind<(config: pg.QueryConfig) => Promise<pg.QueryResult>>(this);
    this.query = ((config: pg.QueryConfig, ...values: never[]) =>
      repeatConflicts((unnamed) =>
        Reflect.apply(send, this, [unnamed ? withoutName(config) : config, ...values]),
      )) as never;
    this.#deadlineMs = deadlineMs;
    const sweepMs = Math.min(deadlineMs / sweepsPerDeadline, maxSweepMs);
    let sweptAt = steadyClock();
    this.#sweep = setInterval(() => {
      const elapsed = steadyClock() - sweptAt;
      sweptAt += elapsed;
      // A process that was suspended has not read the answers yet.
      this.#dropLate(Math.min(elapsed, 2 * sweepMs));
    }, sweepMs).unref();
    // A broken connection is simply replaced: the pending or next query on it fails with the error. Without a listener of its
    // own, a connection that breaks between two statements of a transaction would end the process.
    this.on('error', () => {});
    this.on('connect', (client) => {
      client.on('error', () => {});
      this.#connections.add(ours(client));
    });
    this.on('remove', (client) => this.#connections.delete(ours(client)));
    this.on('acquire', (client) => {
      ours(client).sentMs = 0;
    });
    this.on('release', (error, client) => {
      ours(client).sentMs = null;
      if (!error) this.#hasAnswered = true;
      else if (isWrongServer(error)) this.onWrongServer();
      else if (isStalePlan(error)) this.dropIdle(); // they prepared the same statements
    });
  }

  #dropLate(elapsedMs: number): void {
    for (const connection of this.#connections) {
      if (connection.sentMs === null) continue;
      connection.sentMs += elapsedMs;
      if (connection.sentMs > (connection.deadlineMs ?? this.#deadlineMs))
        connection.drop(new DeadlineMissed('The database did not answer within the deadline.'));
    }
  }

  /** Whether a statement succeeded since the last call. */
  takeAnswered(): boolean {
    const hasAnswered = this.#hasAnswered;
    this.#hasAnswered = false;
    return hasAnswered;
  }

  dropIdle(): void {
    for (const connection of this.#connections) if (connection.sentMs === null) connection.drop(dropped());
  }

  /** Statements under way fail as if the server had closed their connection. */
  dropAll(): void {
    for (const connection of this.#connections) connection.drop(dropped());
  }

  /** From now on statements get a second, and those that have had it already fail: the process is about to end. */
  shortenDeadlines(): void {
    this.#deadlineMs = Math.min(this.#deadlineMs, stoppingDeadlineMs);
    this.options.connectionTimeoutMillis = stoppingDeadlineMs;
  }

  /** Statements under way get a few seconds, and a server that is gone does not answer a goodbye. */
  override async end(): Promise<void> {
    const late = setTimeout(() => this.dropAll(), endWithinMs);
    await super.end();
    clearTimeout(late);
    clearInterval(this.#sweep);
  }
}

/** Settings of the URL come first: of two with the same name the last one counts. */
function startupOptions(ofUrl: string, settings: Record<string, string>): string {
  return [ofUrl, ...Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)].join(' ').trim();
}

const setLocal = (settings: Record<string, string>): string[] =>
  Object.entries(settings).map(([name, value]) => `set local ${name} = '${value}'`);

/** One statement with the settings of its pool, in one round trip: it is sent between the begin and the commit. */
async function inTransaction(pool: Pool, config: pg.QueryConfig): Promise<pg.QueryResult> {
  let result: Promise<pg.QueryResult> | undefined;
  await transactionOnce(pool, async (tx, withCommit) => {
    result = tx.query(config);
    withCommit(result);
  });
  return result as Promise<pg.QueryResult>;
}

const dropped = (): Error => new Error('Connection terminated: its server is silent or read-only');

/** The type of a pool's connections is not a parameter of the types of `pg`. */
function ours(client: pg.PoolClient): Connection {
  return client as unknown as Connection;
}

/** For statements that take longer than any other, on a connection that is not given back. */
export function setDeadline(client: pg.PoolClient, deadlineMs: number): void {
  ours(client).deadlineMs = deadlineMs;
}

export function createPool(
  connectionString: string,
  max: number,
  settings: Record<string, string> = {},
  options: PoolOptions = {},
): Pool {
  return new Pool(connectionString, max, settings, options);
}

/** Every named statement with its declaration: the stack names the file. Only `statements.ts` reads this list. */
export const declaredStatements = new Map<string, { text: string; declaration: Error | null }>();
/** In the bundle nobody reads the stacks, which take 0.6 MB. */
const keepsDeclarations = import.meta.url.endsWith('.ts');

/**
 * A named prepared statement: `const findKey = statement<Row>('find_key', 'select …')`, then `findKey(sql, [id])`.
 * Names are unique in the whole program, because PostgreSQL keeps one plan per name and connection; so a statement is declared
 * once, when its module loads.
 */
export function statement<Row extends pg.QueryResultRow = pg.QueryResultRow>(name: string, text: string) {
  if (declaredStatements.has(name)) throw new Error(`The statement ${name} is declared twice.`);
  declaredStatements.set(name, { text, declaration: keepsDeclarations ? new Error(name) : null });
  return async (sql: Sql, values: unknown[] = []): Promise<Row[]> => {
    const result = await sql.query<Row>({ name, text, values });
    return result.rows;
  };
}

/** Runs one-off queries whose text is composed at run time from constant parts (list filters, migrations). */
export async function query<Row extends pg.QueryResultRow = pg.QueryResultRow>(
  sql: Sql,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const result = await sql.query<Row>({ text, values });
  return result.rows;
}

/** Escapes a text as the beginning of a LIKE pattern, so that it matches only itself. */
export function likePrefix(text: string): string {
  return `${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
}

/** Sends a statement with the commit, so that the rows it locks are locked for as short as possible. */
export type WithCommit = (statement: Promise<unknown>) => void;

/**
 * Runs a transaction, and repeats it when it conflicts with others: `work` runs from its start again, so it keeps nothing
 * outside of the transaction. What follows from the commit belongs after the call.
 */
export function transaction<Result>(
  pool: Pool,
  work: (tx: Sql, withCommit: WithCommit) => Promise<Result>,
): Promise<Result> {
  return repeatConflicts((unnamed) => transactionOnce(pool, work, unnamed));
}

/**
 * A transaction whose work cannot be repeated, because it writes a file. Connections pipeline: `begin` is sent with the first
 * statement, and statements that do not need each other's results can be sent together (`Promise.all`), in the order in which
 * they were called. Statements of `withCommit` are even sent with the commit, so that contended rows are locked for no longer
 * than the flush takes; if any of them fails, nothing is committed and the failure is thrown. `withCommit` must send its
 * statements at once: a later one finds the transaction ended.
 */
export async function transactionOnce<Result>(
  pool: Pool,
  work: (tx: Sql, withCommit: WithCommit) => Promise<Result>,
  unnamed = false,
): Promise<Result> {
  const client = await pool.connect();
  let ended = false;
  const tx: Sql = {
    query: (config) =>
      ended
        ? Promise.reject(new Error('The transaction has ended.'))
        : client.query(unnamed ? withoutName(config) : config),
  };
  const unawaited: Promise<unknown>[] = [];
  const withCommit: WithCommit = (statement) => {
    statement.catch(() => {}); // the result is awaited below, or an earlier failure is reported instead
    unawaited.push(statement);
  };
  try {
    withCommit(client.query(pool.begin));
    const result = await work(tx, withCommit);
    ended = true;
    await Promise.all([...unawaited, client.query('commit')]);
    client.release();
    return result;
  } catch (thrown) {
    ended = true;
    const error = await causeOf(thrown, unawaited);
    // If even the rollback fails the connection is broken and must not go back into the pool.
    const isUsable = await client.query('rollback').then(
      () => !isWrongServer(error) && !isStalePlan(error),
      () => false,
    );
    client.release(isUsable ? undefined : (error as Error));
    throw error;
  }
}

/** A statement that only finds the transaction aborted says nothing about the failure of one that was sent before it. */
async function causeOf(error: unknown, unawaited: Promise<unknown>[]): Promise<unknown> {
  if (codeOf(error) !== '25P02') return error;
  for (const result of await Promise.allSettled(unawaited))
    if (result.status === 'rejected') return result.reason;
  return error;
}

function withoutName(config: pg.QueryConfig): pg.QueryConfig {
  const { name: _name, ...rest } = config;
  return rest;
}

/** Counts a write whose age readiness reports. */
export function trackWrite<Result>(pool: Pool, write: () => Promise<Result>): Promise<Result> {
  return pool.writes.track(write, isDatabaseUnavailable, isDiskFull);
}

/** The server answers and the work fails again and again: the work itself may be at fault. */
const slowAttempts = 20;
const retryMs = 200;
const maxRetryMs = 1_000;

/**
 * Retries work until the database has done it: through a restart, a failover or a deadlock, for as long as the process lives.
 * Only the answer may have been lost, so the work must have the same effect when it is done twice. Work that takes too long
 * 20 times is given up.
 */
export async function untilDatabaseAnswers<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1, slow = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (isConflict(error) || isTooSlow(error)) slow += 1;
      else if (!isDatabaseUnavailable(error) && !isBeingMoved(error)) throw error;
      if (slow === slowAttempts) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.min(attempt * retryMs, maxRetryMs)));
    }
  }
}

/** The fence of an organization on the move (migration 0030) is lowered while work of it is in flight, so that the work can end. */
function isBeingMoved(error: unknown): boolean {
  return codeOf(error) === 'CM503';
}

/** The database runs, but cannot store anything until an operator frees disk space. */
export function isDiskFull(error: unknown): boolean {
  return codeOf(error) === '53100';
}

/** The client gave the statement up, or the server did: its own timeout, or an administrator. */
function isTooSlow(error: unknown): boolean {
  return error instanceof DeadlineMissed || codeOf(error) === '57014';
}

/** Answers of a standby: it refuses writes, and cancels reads that stand in the way of its recovery. */
export function isReadOnly(error: unknown): boolean {
  const code = codeOf(error);
  return code === '25006' || code === '40001';
}

/** The connection leads to a server that is silent or read-only; a new connection may find the new primary. */
function isWrongServer(error: unknown): boolean {
  return isReadOnly(error) || error instanceof DeadlineMissed || unreachable.has(codeOf(error));
}

const unreachable: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND', // the name of the server is not known, or not at the moment
  'EAI_AGAIN',
]);

/**
 * True for transient failures: the server restarts, fails over, is silent, read-only or out of connections, or its disk is
 * full.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  const code = codeOf(error);
  if (code === '')
    return (
      error instanceof Error &&
      /connection terminated|timeout exceeded when trying to connect|not queryable|timeout expired/i.test(
        error.message,
      )
    );
  return (
    code.startsWith('08') || // connection exception
    code.startsWith('57P') || // shutdown, crash recovery, cannot connect now
    code === '57014' || // cancelled by a timeout or an administrator
    code === '53300' || // too many connections
    isReadOnly(error) ||
    isDiskFull(error) ||
    error instanceof DeadlineMissed ||
    unreachable.has(code) ||
    (code === 'ENOENT' && (error as { syscall?: unknown }).syscall === 'connect') // its socket is missing
  );
}

function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : '';
}
