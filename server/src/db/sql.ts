import pg from 'pg';

/**
 * Runs a query. The pool and an open transaction both implement it, and every store function takes it as its first argument, so
 * no query escapes the transaction by accident.
 */
export interface Sql {
  query<Row extends pg.QueryResultRow = pg.QueryResultRow>(
    config: pg.QueryConfig,
  ): Promise<pg.QueryResult<Row>>;
}

export type Pool = pg.Pool;

export function createPool(
  connectionString: string,
  max: number,
  settings: Record<string, string> = {},
): Pool {
  const options = Object.entries({ statement_timeout: '60s', timezone: 'UTC', ...settings })
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
  const pool = new pg.Pool({
    connectionString,
    max,
    options,
    pipeline: true, // see `transaction`
    idleTimeoutMillis: 30_000,
    connectionTimeoutMillis: 10_000,
  });
  // A broken connection is simply replaced: the pending or next query on it fails with the error. Without a listener of its
  // own, a connection that breaks between two statements of a transaction would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** Every named statement with its declaration: the stack names the file. Only `statements.ts` reads this list. */
export const declaredStatements = new Map<string, { text: string; declaration: Error }>();

/**
 * A named prepared statement: `const findKey = statement<Row>('find_key', 'select …')`, then `findKey(sql, [id])`.
 * Names are unique in the whole program, because PostgreSQL keeps one plan per name and connection; so a statement is declared
 * once, when its module loads.
 */
export function statement<Row extends pg.QueryResultRow = pg.QueryResultRow>(name: string, text: string) {
  if (declaredStatements.has(name)) throw new Error(`The statement ${name} is declared twice.`);
  declaredStatements.set(name, { text, declaration: new Error(name) });
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
 * Connections pipeline: `begin` is sent with the first statement, and statements that do not need each other's results can be
 * sent together (`Promise.all`), in the order in which they were called. Statements of `withCommit` are even sent with the
 * commit, so that contended rows are locked for no longer than the flush takes; if any of them fails, nothing is committed and
 * the failure is thrown. `withCommit` must send its statements at once: a later one finds the transaction ended.
 */
export async function transaction<Result>(
  pool: Pool,
  work: (tx: Sql, withCommit: WithCommit) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let ended = false;
  const tx: Sql = {
    query: (config) =>
      ended ? Promise.reject(new Error('The transaction has ended.')) : client.query(config),
  };
  const unawaited: Promise<unknown>[] = [];
  const withCommit: WithCommit = (statement) => {
    statement.catch(() => {}); // the result is awaited below, or an earlier failure is reported instead
    unawaited.push(statement);
  };
  try {
    withCommit(client.query('begin'));
    const result = await work(tx, withCommit);
    ended = true;
    await Promise.all([...unawaited, client.query('commit')]);
    client.release();
    return result;
  } catch (error) {
    ended = true;
    // If even the rollback fails the connection is broken and must not go back into the pool.
    const broken = await client.query('rollback').then(
      () => false,
      () => true,
    );
    client.release(broken);
    throw error;
  }
}

/**
 * Retries work that must survive a restart of the database or a deadlock, for two minutes. Only the answer may have been lost,
 * so the work must have the same effect when it is done twice.
 */
export async function untilDatabaseAnswers<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(isDatabaseUnavailable(error) || isDeadlock(error)) || attempt === 600) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

/** The database ended this transaction to resolve a deadlock; it is rolled back, and may be repeated. */
function isDeadlock(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === '40P01';
}

/** The database runs, but cannot store anything until an operator frees disk space. */
export function isDiskFull(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === '53100';
}

/** True for transient failures: the server restarts, fails over, is out of connections, or its disk is full. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const { code, syscall } = (error ?? {}) as { code?: unknown; syscall?: unknown };
  if (typeof code !== 'string')
    return (
      error instanceof Error &&
      /connection terminated|timeout exceeded when trying to connect|not queryable/i.test(error.message)
    );
  return (
    code.startsWith('08') || // connection exception
    code.startsWith('57P') || // shutdown, crash recovery, cannot connect now
    code === '53300' || // too many connections
    isDiskFull(error) ||
    ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'].includes(code) ||
    (code === 'ENOENT' && syscall === 'connect') // its socket is missing
  );
}
