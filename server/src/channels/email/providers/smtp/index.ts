import type { ProviderKind } from '../../../provider.ts';
import { createSmtpCarrier } from './carrier.ts';
import { completeConfig, manifest, smtpConfig } from './manifest.ts';

/** SMTP servers report nothing later: there is no callback to read. */
export const provider: ProviderKind = {
  manifest,
  complete: completeConfig,
  create: (name, config, { policy, tasks, smtpName, timeoutMs }) =>
    createSmtpCarrier(name, smtpConfig(config), {
      policy,
      tasks,
      clientName: smtpName,
      ...(timeoutMs === undefined ? {} : { timeouts: { socketMs: timeoutMs } }),
    }),
};

export { createSmtpCarrier } from './carrier.ts';
export { smtpConfigOfUrl } from './manifest.ts';
