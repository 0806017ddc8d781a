import type { Clock } from '../kernel/clock.ts';
import type {
  CallbackRequest,
  CallbackVerdict,
  Manifest,
  ProviderCarrier,
  ProviderConfig,
} from './contract.ts';
import {
  completeConfig,
  createSmtpCarrier,
  smtpConfig,
  manifest as smtpManifest,
} from './email/providers/smtp/index.ts';
import type { Outbound } from './http.ts';
import type { NetworkPolicy } from './net.ts';
import { createSandboxCarrier, type SandboxStore, manifest as sandboxManifest } from './sandbox/index.ts';

/** What a provider may need besides its own settings. */
export interface ProviderContext {
  policy: NetworkPolicy;
  clock: Clock;
  sandbox: SandboxStore;
  /** For providers that speak HTTP. */
  outbound: Outbound;
}

export interface ProviderKind {
  manifest: Manifest;
  /** Checks what the fields cannot say one by one, and fills in what was left out. */
  complete?(config: ProviderConfig): { config: ProviderConfig } | { field: string; problem: string };
  create(name: string, config: ProviderConfig, context: ProviderContext): ProviderCarrier;
  /** Checks that a callback is the provider's own, and says what it means. Absent: the provider makes none. */
  readCallback?(
    request: CallbackRequest,
    config: ProviderConfig,
    context: Pick<ProviderContext, 'clock' | 'outbound'>,
  ): Promise<CallbackVerdict> | CallbackVerdict;
}

/** Table: kind of provider → how it is configured and made. A new one is a folder and a line here. */
export const emailProviders: Readonly<Record<string, ProviderKind>> = {
  smtp: {
    manifest: smtpManifest,
    complete: completeConfig,
    create: (name, config, { policy }) => createSmtpCarrier(name, smtpConfig(config), { policy }),
  },
  sandbox: {
    manifest: sandboxManifest,
    create: (name, _config, { sandbox, clock }) => createSandboxCarrier(name, sandbox, clock),
  },
};
