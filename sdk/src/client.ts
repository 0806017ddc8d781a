import { invalid } from './errors.ts';
import { type Api, api } from './generated/api.ts';
import { bind } from './operations.ts';
import { createWaiting, type Waiting } from './runs.ts';
import { checkedSecret, createTransport, type TransportOptions } from './transport.ts';
import { version } from './version.ts';

export interface ClientOptions extends TransportOptions {
  /**
   * `crl_test_…` or `crl_live_…`: it selects the environment. A secret: never in a page. Defaults to the environment variable
   * CARILLON_API_KEY; null for calls without a key, for example with the cookie of a dashboard session.
   */
  api_key?: string | null | undefined;
  /** Put in front of our own in the header User-Agent. */
  user_agent?: string | undefined;
}

/** Every operation of the API, in groups. What goes in and comes out is as on the wire. */
export interface Client extends Omit<Api, 'runs'> {
  runs: Api['runs'] & Waiting;
}

/** Throws when there is no key, neither in the options nor in the environment. */
export function createClient({ api_key, base_url, user_agent, ...options }: ClientOptions = {}): Client {
  const key = keyOf(api_key);
  const agent = [user_agent, `carillon-sdk/${version}`].filter(Boolean).join(' ');
  const transport = createTransport(
    {
      ...options,
      base_url: base_url ?? variable('CARILLON_URL'),
      headers: { 'user-agent': agent, ...options.headers },
    },
    { get: async () => key },
  );
  const bound = bind<Api>(api, transport);
  return { ...bound, runs: { ...bound.runs, ...createWaiting(bound.runs.get) } };
}

function keyOf(given: string | null | undefined): string | null {
  if (given === null) return null;
  const key = given ?? variable('CARILLON_API_KEY');
  if (key === undefined) throw invalid('api_key is missing: pass it, or set CARILLON_API_KEY.', 'api_key');
  return checkedSecret(key, 'api_key');
}

/** A variable of the process; pages and some runtimes have none. An empty one counts as not set. */
function variable(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name] || undefined;
}
