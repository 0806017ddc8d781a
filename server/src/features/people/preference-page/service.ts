import type { Deps } from '../../../deps.ts';
import { createTokenBuckets } from '../../../http/token-buckets.ts';
import { findPageBrand } from '../../content/brands/index.ts';
import { networkOf } from '../../platform/accounts/index.ts';
import { type PreferenceService, preferenceUserKey } from '../preferences/index.ts';
import type { UnsubscribeLinks } from '../unsubscribe/index.ts';
import { type Choice, changesIn, choicesOf, type PreferenceVisit } from './page.ts';

export interface PreferencePage {
  urlOf(environmentId: string, user: string): Promise<string>;
  show(token: string, ipAddress: string): Promise<PreferenceVisit>;
  save(token: string, ipAddress: string, form: URLSearchParams): Promise<PreferenceVisit>;
}

/** Links that are not ours, of one network: each may cost a query. */
const wrongLinks = { ratePerSecond: 2, burst: 50 };
const burstSeconds = 5;

export function createPreferencePage({
  pool,
  config,
  preferences,
  unsubscribeLinks,
}: Pick<Deps, 'pool' | 'config'> & {
  preferences: PreferenceService;
  unsubscribeLinks: UnsubscribeLinks;
}): PreferencePage {
  const rate = config.CARILLON_END_USER_RATE_LIMIT;
  const visitors = createTokenBuckets({ ratePerSecond: rate, burst: Math.max(1, burstSeconds * rate) });
  const strangers = createTokenBuckets(wrongLinks);

  async function choicesFor(environmentId: string, user: string): Promise<Choice[]> {
    const [data, categories] = await Promise.all([
      preferences.matrix(environmentId, user),
      preferences.describe(environmentId),
    ]);
    return choicesOf(data, categories);
  }

  async function visit(
    token: string,
    ipAddress: string,
    form: URLSearchParams | null,
  ): Promise<PreferenceVisit> {
    const found = await unsubscribeLinks.readPreferences(token);
    if (!found) return { kind: strangers.take(networkOf({ ipAddress })).allowed ? 'lost' : 'busy' };
    const { environmentId, user } = found;
    if (!visitors.take(`${environmentId} ${user}`).allowed) return { kind: 'busy' };
    const [choices, brand] = await Promise.all([
      choicesFor(environmentId, user),
      findPageBrand(pool, environmentId),
    ]);
    if (form === null) return { kind: 'choose', choices, brand };
    const changes = changesIn(form, choices);
    if (changes.length === 0) return { kind: 'saved', choices, brand };
    await preferences.set(environmentId, user, changes, 'recipient');
    return { kind: 'saved', choices: await choicesFor(environmentId, user), brand };
  }

  return {
    async urlOf(environmentId, user) {
      const key = (await unsubscribeLinks.keysFor([environmentId])).get(environmentId);
      if (!key) throw new Error('the environment has no link secret');
      return unsubscribeLinks.preferencesUrlOf(key, preferenceUserKey(user));
    },
    show: (token, ipAddress) => visit(token, ipAddress, null),
    save: visit,
  };
}
