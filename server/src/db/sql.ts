import pg from 'pg';

/**
 * What a store needs: something that runs a query. The pool and an open transaction both are one, and every store function
 * takes it as its first argument, so nothing slips outside the transaction by accident.
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
  // A connection that breaks is simply replaced: whoever waits for an answer on it, or asks next, learns of it there. Without
  // a listener of its own, one that breaks between two statements of a transaction would end the process.
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

/** For one-off queries whose text is put together at run time from constant pieces (list filters, migrations). */
export async function query<Row extends pg.QueryResultRow = pg.QueryResultRow>(
  sql: Sql,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const result = await sql.query<Row>({ text, values });
  return result.rows;
}

/** A text as the beginning of a LIKE pattern, in which nothing but itself matches. */
export function likePrefix(text: string): string {
  return `${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
}

/**
 * Connections pipeline: `begin` travels with the first statement, and statements that do not need each other's results can
 * travel together (`Promise.all`), in the order in which they were called. What is handed to `withCommit` even travels with the
 * commit, so that rows which everybody wants are locked for no longer than the flush takes; if any of it fails, nothing is
 * committed and the failure is thrown. It must send its statements at once: one that comes later finds the transaction ended.
 */
export async function transaction<Result>(
  pool: Pool,
  work: (tx: Sql, withCommit: (statement: Promise<unknown>) => void) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let ended = false;
  const tx: Sql = {
    query: (config) =>
      ended ? Promise.reject(new Error('The transaction has ended.')) : client.query(config),
  };
  const unawaited: Promise<unknown>[] = [];
  const withCommit = (statement: Promise<unknown>): void => {
    statement.catch(() => {}); // it is looked at below, or something else has failed before it
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
 * For what must not be given up because the database restarts, or chose it to end a deadlock: asks again until it answers, for two
 * minutes. The answer alone may have been lost, so this is for work that has the same effect when it is done twice.
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

/** The database ended this transaction so that another could go on; it is rolled back, and may be done again. */
function isDeadlock(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === '40P01';
}

/** The database runs, but can keep nothing new until somebody makes room. */
export function isDiskFull(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === '53100';
}

/** True for failures that pass without us: the server restarts, fails over, is out of connections, or its disk is full. */
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
    (code === 'ENOENT' && syscall === 'connect') // its socket is gone
  );
}
