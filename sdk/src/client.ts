import { type Api, api } from './generated/api.ts';
import { bind } from './operations.ts';
import { createWaiting, type Waiting } from './runs.ts';
import { checkedSecret, createTransport, type TransportOptions } from './transport.ts';
import { version } from './version.ts';

export interface ClientOptions extends TransportOptions {
  /** `crl_test_…` or `crl_live_…`: it selects the environment. A secret: never in a page. */
  api_key?: string | undefined;
  /** Put in front of our own in the header User-Agent. */
  user_agent?: string | undefined;
}

/** Every operation of the API, in groups. What goes in and comes out is as on the wire. */
export interface Client extends Omit<Api, 'runs'> {
  runs: Api['runs'] & Waiting;
}

export function createClient({ api_key, user_agent, ...options }: ClientOptions = {}): Client {
  const key = api_key === undefined ? null : checkedSecret(api_key, 'api_key');
  const agent = [user_agent, `carillon-sdk/${version}`].filter(Boolean).join(' ');
  const transport = createTransport(
    { ...options, headers: { 'user-agent': agent, ...options.headers } },
    { get: async () => key },
  );
  const bound = bind<Api>(api, transport);
  return { ...bound, runs: { ...bound.runs, ...createWaiting(bound.runs.get) } };
}
