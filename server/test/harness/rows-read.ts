import { type Pool, type Sql, transaction } from '../../src/db/sql.ts';

interface PlanNode {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: PlanNode[];
}

/**
 * What statements read, not what they give back: it must not grow with a table. Everything is done twice, the first time to be
 * counted and undone.
 */
export async function rowsRead<Result>(
  pool: Pool,
  work: (sql: Sql) => Promise<Result>,
): Promise<{ result: Result; rows: number }> {
  let rows = 0;
  const result = await transaction(pool, (tx) => {
    const counted: Sql = {
      async query(config) {
        await tx.query({ text: 'savepoint counted' });
        const explain = `explain (analyze, timing off, format json) ${config.text}`;
        const { rows: plans } = await tx.query({ text: explain, values: config.values ?? [] });
        rows += rowsOf(plans[0]?.['QUERY PLAN'][0].Plan);
        await tx.query({ text: 'rollback to savepoint counted' });
        return tx.query(config);
      },
    };
    return work(counted);
  });
  return { result, rows };
}

function rowsOf(node: PlanNode): number {
  const below = (node.Plans ?? []).reduce((sum, child) => sum + rowsOf(child), 0);
  if (node['Relation Name'] === undefined) return below;
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return below + (node['Actual Rows'] + removed) * node['Actual Loops'];
}
