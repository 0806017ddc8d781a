import type { Batcher } from '../kernel/batcher.ts';
import type { Clock } from '../kernel/clock.ts';
import type { TaskRunner } from '../threads/task.ts';
import type {
  CallbackRequest,
  CallbackVerdict,
  CompletedConfig,
  Manifest,
  ProviderCarrier,
  ProviderConfig,
} from './contract.ts';
import type { Outbound } from './http.ts';
import type { NetworkPolicy } from './net.ts';

/** Stores the messages of the sandbox, each a JSON text. */
export type SandboxStore = Batcher<string, void>;

/** Dependencies of a provider besides its own settings. */
export interface ProviderContext {
  policy: NetworkPolicy;
  clock: Clock;
  sandbox: SandboxStore;
  /** Runs the composition of large messages; on the calling thread when absent. */
  tasks?: TaskRunner | undefined;
  /** The HTTP client, for providers with an HTTP API. */
  outbound: Outbound;
  /** The name given to mail servers in EHLO; null when there is none. */
  smtpName: string | null;
  /** The limit for one call instead of the provider's own, for tests of silent providers. */
  timeoutMs?: number;
}

/** The entry of a provider in `registry.ts`: each provider folder exports one, and nothing else of it is registered anywhere. */
export interface ProviderKind {
  manifest: Manifest;
  /** Checks rules that span several fields, and fills in defaults. */
  complete?(config: ProviderConfig): CompletedConfig;
  create(name: string, config: ProviderConfig, context: ProviderContext): ProviderCarrier;
  /** Verifies that a callback is the provider's own, and reads it. Absent when the provider makes no callbacks. */
  readCallback?(
    request: CallbackRequest,
    config: ProviderConfig,
    context: Pick<ProviderContext, 'clock' | 'outbound'>,
  ): Promise<CallbackVerdict> | CallbackVerdict;
}
