import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';
import { loadConfig } from '../../src/config.ts';
import { type Pool, query } from '../../src/db/sql.ts';
import { createOrganizationFor } from '../../src/features/platform/accounts/index.ts';
import { createKeyring } from '../../src/kernel/crypto.ts';
import { organizationCommand } from '../../src/operator/move/command.ts';
import { planMove } from '../../src/operator/move/tables.ts';
import { sealedColumns } from '../../src/sealed.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';

/** One installation: its own database, encryption key, people and API keys. */
export interface Cell {
  app: TestApp;
  key: Buffer;
  settings: Record<string, string>;
  /** Runs `organization …` here. Throws what it says when it fails. */
  organization(...args: string[]): Promise<string>;
}

export async function startCell(name: 'a' | 'b'): Promise<Cell> {
  const key = Buffer.alloc(32, name);
  const own: Record<string, string> = {
    CARILLON_ENCRYPTION_KEY: key.toString('base64'),
    ...(name === 'b' && {
      CARILLON_BOOTSTRAP_TEST_KEY: 'crl_test_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb',
      CARILLON_BOOTSTRAP_LIVE_KEY: 'crl_live_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb',
      CARILLON_BRAKE_RECIPIENT_LIMIT: '0',
      CARILLON_ADMIN_EMAIL: 'operator@b.example',
    }),
  };
  const app = await startTestApp({ settings: own });
  const settings = { ...own, DATABASE_URL: app.database.url, CARILLON_DATA_DIR: '/nonexistent' };
  return {
    app,
    key,
    settings,
    async organization(...args) {
      const lines: string[] = [];
      const code = await organizationCommand(loadConfig(settings), (line) => lines.push(line), args);
      if (code !== 0) throw new Error(lines.join('\n'));
      return lines.join('\n');
    },
  };
}

/** An organization of the same owner, with its ids. */
export async function createStranger({ app }: Cell): Promise<{ id: string; testEnvironmentId: string }> {
  await createOrganizationFor(app.pool, app.deps.config, app.adminEmail, 'Stranger');
  const [row] = await query<{ id: string; environment: string }>(
    app.pool,
    `select o.id, e.id as environment from organizations o join environments e on e.organization_id = o.id
     where o.name = 'Stranger' and e.kind = 'test'`,
  );
  if (!row) throw new Error('the organization was not created');
  return { id: row.id, testEnvironmentId: row.environment };
}

/** The router in front of two cells: it repeats a request at the cell that a 421 names, as nginx does with `error_page 421`. */
export async function startRouter(first: string): Promise<{ url: string; stop(): Promise<void> }> {
  const server = createServer(async (incoming, outgoing) => {
    const body: Buffer[] = [];
    for await (const chunk of incoming) body.push(chunk as Buffer);
    const {
      host: _,
      connection: __,
      'content-length': ___,
      'transfer-encoding': ____,
      ...headers
    } = incoming.headers;
    const ask = (cell: string) =>
      request(cell + incoming.url, {
        method: incoming.method ?? 'GET',
        headers,
        body: body.length > 0 ? Buffer.concat(body) : null,
      });
    try {
      let answer = await ask(first);
      const cell = answer.headers['carillon-moved-to'];
      if (answer.statusCode === 421 && typeof cell === 'string') {
        await answer.body.dump();
        answer = await ask(cell);
      }
      const bytes = Buffer.from(await answer.body.arrayBuffer());
      outgoing
        .writeHead(answer.statusCode, { 'content-type': String(answer.headers['content-type']) })
        .end(bytes);
    } catch {
      outgoing.writeHead(503).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Processes write counts a moment later, and the fence lets them. */
const counters = ['activity', 'environment_storage', 'provider_health_counts'];

/** Every row of the organization, by table, without secrets, which are sealed with another key. */
export async function rowsOf(pool: Pool, id: string): Promise<Record<string, string[]>> {
  const { tables } = await planMove(pool, id, await environmentsOf(pool, id));
  const all: Record<string, string[]> = {};
  for (const { name, where } of tables.filter((table) => !counters.includes(table.name))) {
    const secret = sealedColumns.filter(({ table }) => table === name).map(({ column }) => column);
    const rows = await query<{ row: string }>(
      pool,
      `select (to_jsonb(t) - $1::text[])::text as row from ${name} t where ${where} order by 1`,
      [secret],
    );
    if (rows.length > 0) all[name] = rows.map(({ row }) => row);
  }
  return all;
}

/** What is sealed in the rows of the organization, opened with the key of the installation. */
export async function secretsOf(pool: Pool, key: Buffer, id: string): Promise<string[]> {
  const keyring = createKeyring([key]);
  const { tables } = await planMove(pool, id, await environmentsOf(pool, id));
  const secrets: string[] = [];
  for (const { table, column, reseal } of sealedColumns) {
    const where = tables.find(({ name }) => name === table)?.where;
    const rows = await query<{ row: Record<string, string> }>(
      pool,
      `select to_jsonb(t) as row from ${table} t where ${column} is not null and ${where}`,
    );
    for (const { row } of rows) {
      reseal(row[column], row, (sealed, context) => {
        secrets.push(`${table}.${column} ${keyring.open(sealed, context)}`);
        return sealed;
      });
    }
  }
  return secrets.sort();
}

async function environmentsOf(pool: Pool, id: string): Promise<string[]> {
  const rows = await query<{ id: string }>(pool, 'select id from environments where organization_id = $1', [
    id,
  ]);
  return rows.map((row) => row.id);
}
