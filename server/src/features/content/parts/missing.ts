import { type Sql, statement } from '../../../db/sql.ts';
import type { MissingTranslation } from './schema.ts';
import { maxParts, maxTemplates } from './store.ts';

/**
 * What every locale should have: the keys of the default locale, and those that templates, layouts and partials use. A locale
 * inherits from its parents (`de-AT` from `de`).
 */
const wanted = `
  parts as materialized (
    select * from template_parts where environment_id = $1 limit ${maxParts}
  ), locales as materialized (
    select p.key as locale, p.is_default, v.keys
    from parts p
    join template_part_versions v on v.id = p.current_version_id
    where p.kind = 'translation'
  ), wanted as materialized (
    select unnest(keys) as key from locales where is_default
    union
    select unnest(v.translation_keys)
    from (select * from templates where environment_id = $1 order by id desc limit ${maxTemplates}) t
    join template_versions v on v.id = t.current_version_id
    where v.translation_keys is not null
    union
    select unnest(v.keys)
    from parts p
    join template_part_versions v on v.id = p.current_version_id
    where p.kind <> 'translation'
  )`;

const missingKeys = `
  select key from wanted
  except
  select unnest(near.keys) from locales near
  where near.locale = l.locale or starts_with(l.locale, near.locale || '-')`;

const countRows = statement<{ locale: string; missing: number }>(
  'parts_count_missing',
  `with ${wanted}
   select l.locale, (select count(*)::int from (${missingKeys}) lacks) as missing
   from locales l
   where l.locale = any ($2::text[])`,
);

/** Returns the number of missing keys by locale. */
export async function countMissing(
  sql: Sql,
  environmentId: string,
  locales: string[],
): Promise<Map<string, number>> {
  const rows = await countRows(sql, [environmentId, locales]);
  return new Map(rows.map(({ locale, missing }) => [locale, missing]));
}

const listRows = statement<MissingTranslation>(
  'parts_list_missing',
  `with ${wanted}
   select l.locale, lacks.key,
     exists (select from locales d where d.is_default and lacks.key = any (d.keys)) as in_default
   from locales l
   cross join lateral (${missingKeys}) lacks
   where ($2::text is null or l.locale = $2)
     and ($3::text is null or (l.locale, lacks.key) > ($3, $4))
   order by l.locale, lacks.key
   limit $5`,
);

/** Returns up to `limit + 1` missing keys, in the order of locales and keys. */
export function listMissing(
  sql: Sql,
  environmentId: string,
  locale: string | null,
  page: { after: { locale: string; key: string } | null; limit: number },
): Promise<MissingTranslation[]> {
  const { after, limit } = page;
  return listRows(sql, [environmentId, locale, after?.locale ?? null, after?.key ?? null, limit + 1]);
}
