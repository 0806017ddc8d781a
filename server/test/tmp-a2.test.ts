import { test } from 'vitest';
import { createTestDatabase } from './database.ts';
test('measure', async () => {
  const db = await createTestDatabase();
  const q = (s: string, v: unknown[] = []) => db.pool.query(s, v);
  await q(`insert into organizations (id, name, plan) values ('01890000-0000-7000-8000-000000000001','x','unmetered') on conflict do nothing`);
  const env = '01890000-0000-7000-8000-000000000002';
  await q(`insert into environments (id, organization_id, kind, name) values ($1,'01890000-0000-7000-8000-000000000001','test','T')`, [env]);
  const fill = async (from: number, n: number) =>
    q(`insert into end_users (environment_id, external_user_id, email) select $1, md5(i::text), md5(i::text)||'@example.com' from generate_series($2::int,$3::int) i`, [env, from, from + n - 1]);
  await fill(0, 200_000);
  const run = async (from: number) => {
    const t = performance.now();
    for (let i = 0; i < 100; i++) await fill(from + i * 100, 100);
    return ((performance.now() - t) / 10_000) * 1000;
  };
  const defs: Record<string, string> = {
    order: 'create index end_users_in_order on end_users (environment_id, created_at, external_user_id)',
    id: 'create index end_users_by_id_prefix on end_users (environment_id, lower(external_user_id) text_pattern_ops)',
    email: 'create index end_users_by_email_prefix on end_users (environment_id, lower(email) text_pattern_ops)',
  };
  const out: unknown[] = [];
  let at = 200_000;
  for (let round = 0; round < 3; round++) {
    out.push(['with', await run(at)]); at += 10_000;
    await q('drop index end_users_in_order, end_users_by_id_prefix, end_users_by_email_prefix');
    out.push(['without', await run(at)]); at += 10_000;
    for (const d of Object.values(defs)) { const t = performance.now(); await q(d); out.push(['build ms', Math.round(performance.now() - t)]); }
  }
  const size = await q(`select indexrelname, pg_size_pretty(pg_relation_size(indexrelid)) s from pg_stat_user_indexes where relname='end_users'`);
  console.log(JSON.stringify(out), JSON.stringify(size.rows));
  await q('analyze end_users');
  for (const s of ['a', 'abcdef', 'zzz']) {
    const { rows } = await q(`explain (analyze, buffers off) select external_user_id from end_users where environment_id='${env}' and (lower(external_user_id) like '${s}%' or lower(email) like '${s}%') order by created_at desc, external_user_id desc limit 21`);
    console.log(s, rows.map((r) => r['QUERY PLAN']).join('\n'));
  }
  await db.drop?.();
}, 200_000);
