import { type Sql, statement } from '../../../db/sql.ts';
import type { PageBrand } from '../../../http/hosted-page.ts';

export interface BrandRow {
  name: string | null;
  logo_url: string | null;
  accent_color: string | null;
}

const find = statement<BrandRow>(
  'brands_find',
  'select name, logo_url, accent_color from brands where environment_id = $1',
);

export async function findBrand(sql: Sql, environmentId: string): Promise<BrandRow> {
  const [row] = await find(sql, [environmentId]);
  return row ?? { name: null, logo_url: null, accent_color: null };
}

export async function findPageBrand(sql: Sql, environmentId: string): Promise<PageBrand> {
  const { name, logo_url: logoUrl, accent_color: accentColor } = await findBrand(sql, environmentId);
  return { name, logoUrl, accentColor };
}

const upsert = statement(
  'brands_upsert',
  `insert into brands (environment_id, name, logo_url, accent_color) values ($1, $2, $3, $4)
   on conflict (environment_id) do update
     set name = excluded.name, logo_url = excluded.logo_url, accent_color = excluded.accent_color`,
);

export async function upsertBrand(sql: Sql, environmentId: string, brand: BrandRow): Promise<void> {
  await upsert(sql, [environmentId, brand.name, brand.logo_url, brand.accent_color]);
}
