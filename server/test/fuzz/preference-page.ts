import type { FuzzTarget } from './target.ts';
import type { Area } from './trial.ts';
import { hostileText, type JsonObject, spelled } from './values.ts';

/** Of a form. */
const maxForm = 262_144;
const manyCategories = 300;
const categories = new WeakMap<FuzzTarget, number>();

/** Adds categories up to this number, each as long as it may be. */
async function prepare(target: FuzzTarget, wanted: number): Promise<void> {
  const by = { key: target.liveKey };
  for (let made = categories.get(target) ?? 0; made < wanted; made += 1) {
    const category: JsonObject = {
      key: `fuzz.${made}`,
      name: '&"'.repeat(100),
      description: '<b>'.repeat(333),
      default_channels: ['email', 'in_app', 'sms', 'chatone', 'chattwo', 'chatthree'],
    };
    await target.request('POST', '/v1/preferences/categories', category, by);
    categories.set(target, made + 1);
  }
}

const pair = (name: string, value: string): string => `${name}=${value}&`;
const everyBox = (n: number): string =>
  ['email', 'in_app', 'sms'].map((channel) => pair('shown_on', `fuzz.${n}:${channel}`)).join('');

/** The page where recipients choose, and the form that comes back. */
export const preferencePage: Area = {
  name: 'preference page',
  sampleEvery: 4,
  known: [
    { form: 'shown_on=news:email&on=' },
    {
      form: Array.from({ length: manyCategories }, (_, n) => everyBox(n)).join(''),
      categories: manyCategories,
    },
    ...[
      '&',
      '=',
      'a=b&',
      '%',
      '%41',
      '+',
      'on=fuzz.1:email&',
      'shown_on=fuzz.1:email&',
      '%F0%9F%98%80',
      'é',
      'a',
    ].map((unit) => ({
      form: { unit, times: maxForm },
    })),
    { form: 'all=off', user: 'x'.repeat(255) },
    { form: '', language: 'de;q=0.1,'.repeat(900) },
    { form: '', language: '-'.repeat(8_000) },
    {
      form: '',
      brand: {
        name: '"'.repeat(100),
        logo_url: `https://example.com/${'&'.repeat(2_000)}`,
        accent_color: '#7a3b00',
      },
    },
  ],
  fresh: (random) => ({
    form: random.chance(0.5)
      ? hostileText(random, 60_000)
      : {
          unit: random.pick([
            'a=b&',
            'on=fuzz.2:sms&',
            'shown_off=fuzz.3:email&on=x&',
            hostileText(random, 20),
          ]),
          times: random.size(60_000),
        },
    ...(random.chance(0.3) ? { language: hostileText(random, 4_000) } : {}),
    ...(random.chance(0.3)
      ? {
          brand: {
            name: hostileText(random, 99),
            logo_url: `https://example.com/${hostileText(random, 1_900)}`,
            accent_color: '#012345',
          },
        }
      : {}),
    ...(random.chance(0.2) ? { user: hostileText(random, 200) } : {}),
  }),
  async run(trial, input) {
    const { target } = trial;
    const by = { key: target.liveKey };
    await prepare(target, Math.min(manyCategories, Number(input.categories) || 20));
    if (input.brand) await trial.ask('PUT brand', 'PUT', '/v1/brand', input.brand, by);
    const user = encodeURIComponent(String(input.user ?? 'ada').toWellFormed());
    const link = await trial.ask(
      'GET preference link',
      'GET',
      `/v1/preferences/users/${user}/link`,
      undefined,
      by,
    );
    if (link.status >= 300) return;
    const path = new URL(String(link.body.url)).pathname;
    const visitor = { language: spelled(input.language, 8_000).replace(/[^\x20-\x7e]/g, '') };
    await trial.ask('GET preference page', 'GET', path, undefined, visitor);
    const form = Buffer.from(spelled(input.form, maxForm));
    const contentType = 'application/x-www-form-urlencoded';
    await trial.ask('POST preference page', 'POST', path, form, { ...visitor, contentType });
  },
};
