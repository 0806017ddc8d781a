import type { Outcome, ProviderConfig } from '../../src/channels/contract.ts';
import { createOutbound, type Outbound } from '../../src/channels/http.ts';
import type { ProviderKind, SandboxStore } from '../../src/channels/provider.ts';
import type { Fault, HttpSimulator } from '../simulators/http-simulator.ts';
import { secretOf } from '../simulators/secret.ts';
import type { Simulation } from '../simulators/simulation.ts';
import { type Bench, type Mishap, wrongSecret } from './exam.ts';

const page = '<!doctype html><html><head><title>Bad Gateway</title></head><body><h1>502</h1></body></html>';

/** How a provider with an HTTP API shows each mishap. */
const faults: Record<Mishap, Fault> = {
  throttled: { status: 429, body: '' },
  throttled_with_delay: { status: 429, headers: { 'retry-after': '7' }, body: '' },
  throttled_absurdly: { status: 429, headers: { 'retry-after': '999999999' }, body: '' },
  half_refusal: { status: 429, cut: true },
  server_error: { status: 500, body: '' },
  gateway_timeout: { status: 504, headers: { 'content-type': 'text/html' }, body: page },
  error_page: { status: 502, headers: { 'content-type': 'text/html' }, body: page },
  page_instead_of_answer: 'html',
  malformed_answer: 'malformed',
  empty_answer: 'empty',
  half_answer: 'half',
  redirect: { status: 302, headers: { location: 'https://elsewhere.example/' }, body: '' },
  dropped: 'drop',
  dropped_after_accept: 'drop_after_accept',
  hang: 'hang',
  hang_after_accept: 'hang_after_accept',
};

export function provokeHttp(simulator: HttpSimulator, mishap: Mishap): void {
  simulator.fault = faults[mishap];
}

/** The outcome of each mishap. Whether the provider recognizes repeats makes no difference: the dispatcher handles repeats. */
export const httpMishaps: Readonly<Record<Mishap, Outcome['kind']>> = {
  throttled: 'throttled',
  throttled_with_delay: 'throttled',
  throttled_absurdly: 'throttled',
  half_refusal: 'throttled',
  server_error: 'retry',
  gateway_timeout: 'ambiguous',
  error_page: 'retry',
  page_instead_of_answer: 'ambiguous',
  malformed_answer: 'ambiguous',
  empty_answer: 'ambiguous',
  half_answer: 'accepted',
  redirect: 'broken',
  dropped: 'ambiguous',
  dropped_after_accept: 'ambiguous',
  hang: 'ambiguous',
  hang_after_accept: 'ambiguous',
};

export interface HttpBench<Simulator extends HttpSimulator> extends Bench {
  simulator: Simulator;
  /** The settings of the provider, complete, with everything that callbacks need. */
  config: ProviderConfig;
  outbound: Outbound;
}

interface Examined<Simulator extends HttpSimulator> {
  simulation: Simulation<Simulator>;
  provider: ProviderKind | undefined;
  /** The settings that lead to a host. */
  settingsFor(url: string): ProviderConfig;
  message: Bench['message'];
}

/** Starts the simulator of a provider, and makes carriers for it as the registry does. */
export async function startHttpBench<Simulator extends HttpSimulator & { received: unknown[] }>({
  simulation,
  provider,
  settingsFor,
  message,
}: Examined<Simulator>): Promise<HttpBench<Simulator>> {
  const { kind, credential } = simulation;
  if (!provider) throw new Error(`server/src/channels/registry.ts has no provider ${kind}`);
  const outbound = createOutbound({ policy: 'loopback' });
  const started = await simulation.start({
    port: 0,
    secretFor: (field) => secretOf(`planted ${kind} ${field}`),
  });
  const { simulator } = started;
  const given = { ...started.config, ...settingsFor(simulator.url) };
  const completed = provider.complete?.(given) ?? { config: given };
  if (!('config' in completed))
    throw new Error(`${kind} refuses its settings: ${completed.field} ${completed.problem}`);
  const { config } = completed;
  return {
    simulator,
    config,
    outbound,
    carrier({ wrong, unreachable, timeoutMs } = {}) {
      const settings = {
        ...config,
        ...(wrong ? { [credential]: wrongSecret } : {}),
        ...(unreachable ? settingsFor('http://127.0.0.1:1') : {}),
      };
      return provider.create(kind, settings, {
        policy: 'loopback',
        clock: Date.now,
        outbound,
        sandbox: noSandbox,
        smtpName: null,
        ...(timeoutMs ? { timeoutMs } : {}),
      });
    },
    message,
    taken: () => simulator.received.length,
    provoke: (mishap) => provokeHttp(simulator, mishap),
    recover() {
      simulator.fault = null;
    },
    hung: () => simulator.hung(),
    echo(text) {
      simulator.fault = { status: 400, body: simulation.errorBody(text) };
    },
    secret: String(config[credential]),
    async stop() {
      await outbound.stop();
      await simulator.stop();
    },
  };
}

const noSandbox: SandboxStore = {
  add: () => Promise.reject(new Error('only the sandbox stores messages')),
  isFull: () => false,
  idle: async () => {},
};
