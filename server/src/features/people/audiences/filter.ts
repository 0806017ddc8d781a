import { invalidParameter, Problem } from '../../../kernel/errors.ts';
import { languageTag } from '../../../kernel/patterns.ts';
import { isTimeZone } from '../../../kernel/time-zone.ts';
import { isAttributeKey, isAttributeValue } from '../users/index.ts';
import { Audience, Filter, filterLimits } from './schema.ts';

/** A filter that passed every check; each list has values or is empty. */
export interface CheckedFilter {
  locales: string[];
  timezones: string[];
  topicsAny: string[];
  topicsAll: string[];
  topicsNone: string[];
  attributes: { key: string; values: (string | number | boolean)[] }[];
}

/** The name of the audience in a request, for errors. */
const param = 'audience';

export function readAudience(audience: Audience): CheckedFilter {
  refuseUnknown(audience, Audience.properties, param);
  const given = [audience.topic, audience.filter, audience.all || null].filter((part) => part != null);
  if (given.length !== 1)
    throw invalidParameter(param, `${param} must have exactly one of topic, filter and all.`);
  if (audience.topic != null) return { ...everybody, topicsAll: [audience.topic] };
  return audience.filter ? readFilter(audience.filter, `${param}.filter`) : everybody;
}

const everybody: CheckedFilter = {
  locales: [],
  timezones: [],
  topicsAny: [],
  topicsAll: [],
  topicsNone: [],
  attributes: [],
};

/** An unknown field was meant to make the audience smaller: without it, the message reaches users that it is not for. */
function refuseUnknown(given: object, known: object, param: string): void {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(known, name));
  if (unknown !== undefined)
    throw invalidParameter(`${param}.${unknown}`, `${param}.${unknown} is not a field of ${param}.`);
}

function readFilter(filter: Filter, param: string): CheckedFilter {
  refuseUnknown(filter, Filter.properties, param);
  return {
    locales: (filter.locales ?? []).map((locale, index) => {
      const tag = languageTag(locale);
      if (tag === null)
        throw invalidParameter(
          `${param}.locales[${index}]`,
          `${param}.locales[${index}] must be a language tag, for example it or pt-BR.`,
        );
      return tag.toLowerCase();
    }),
    timezones: (filter.timezones ?? []).map((zone, index) => {
      if (!isTimeZone(zone))
        throw invalidParameter(
          `${param}.timezones[${index}]`,
          `${param}.timezones[${index}] must be an IANA time zone name, such as Europe/Rome.`,
        );
      return zone;
    }),
    topicsAny: filter.topics_any ?? [],
    topicsAll: filter.topics_all ?? [],
    topicsNone: filter.topics_none ?? [],
    attributes: readAttributes(filter.attributes ?? {}, `${param}.attributes`),
  };
}

function readAttributes(given: Record<string, unknown>, param: string): CheckedFilter['attributes'] {
  const entries = Object.entries(given);
  if (entries.length > filterLimits.attributes)
    throw invalidParameter(param, `${param} can have at most ${filterLimits.attributes} attributes.`);
  return entries.map(([key, value]) => {
    const values: unknown[] = Array.isArray(value) ? value : [value];
    if (!isAttributeKey(key))
      throw invalidParameter(param, `${param} has a name that no attribute can have.`);
    const isValid =
      values.length > 0 && values.length <= filterLimits.values && values.every(isAttributeValue);
    if (!isValid)
      throw invalidParameter(
        `${param}.${key}`,
        `${param}.${key} must be a text, a number or a boolean, or a list of 1 to ${filterLimits.values} of them.`,
      );
    return { key, values: values.filter(isAttributeValue) };
  });
}

export function topicKeysOf({ topicsAny, topicsAll, topicsNone }: CheckedFilter): string[] {
  return [...new Set([...topicsAny, ...topicsAll, ...topicsNone])];
}

export function unknownTopic(key: string): Problem {
  return new Problem('topic_not_found', `There is no topic with the key ${key}.`, { param: 'audience' });
}

/** The users to read, in the order of their ids, and the condition that each must meet. */
export interface AudienceSql {
  /** A query without its order: rows with an external_user_id, from an index in that order. */
  candidates: string;
  /** A condition on `u`, the row of end_users. */
  condition: string;
}

/**
 * Everything that a caller wrote is a parameter. `topicIds` has the topics that exist: one that was deleted has no subscribers, and
 * a filter that excludes its subscribers matches no users.
 */
export function audienceSql(
  filter: CheckedFilter,
  environmentId: string,
  topicIds: ReadonlyMap<string, string>,
  values: unknown[],
  leading: 'topic' | 'users' = 'topic',
): AudienceSql {
  const parameter = (value: unknown): string => `$${values.push(value)}`;
  const ids = (keys: string[]): string[] => keys.flatMap((key) => topicIds.get(key) ?? []);
  const follows = (topics: string): string =>
    `exists (select from topic_subscribers t where t.topic_id = any (${topics}::uuid[]) and t.external_user_id = u.external_user_id)`;
  const environment = parameter(environmentId);
  const conditions = [`u.environment_id = ${environment}`];
  const { locales, timezones, topicsAny, topicsAll, topicsNone, attributes } = filter;
  if (locales.length > 0) {
    const wanted = `unnest(${parameter(locales)}::text[]) tag`;
    conditions.push(
      `exists (select from ${wanted} where lower(u.locale) = tag or lower(u.locale) like tag || '-%')`,
    );
  }
  if (timezones.length > 0) conditions.push(`u.timezone = any (${parameter(timezones)}::text[])`);
  if (topicsAny.length > 0) conditions.push(follows(parameter(ids(topicsAny))));
  if (topicsNone.length > 0) {
    const excluded = ids(topicsNone);
    // The subscribers of a deleted topic are unknown, and must not be reached: the filter matches no users.
    conditions.push(excluded.length < topicsNone.length ? 'false' : `not ${follows(parameter(excluded))}`);
  }
  for (const { key, values: wanted } of attributes)
    conditions.push(
      `u.attributes -> ${parameter(key)} = any (${parameter(wanted.map((value) => JSON.stringify(value)))}::text[]::jsonb[])`,
    );
  // A topic that everyone must follow is shorter than the list of all users.
  const first = leading === 'topic' ? topicsAll[0] : undefined;
  for (const key of topicsAll) if (key !== first) conditions.push(follows(parameter(ids([key]))));
  return {
    candidates:
      first === undefined
        ? `select external_user_id from end_users where environment_id = ${environment}`
        : `select external_user_id from topic_subscribers where topic_id = any (${parameter(ids([first]))}::uuid[])`,
    condition: conditions.join(' and '),
  };
}
