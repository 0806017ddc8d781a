import type { ProviderKind } from '../../../provider.ts';
import { readCallback } from './callback.ts';
import { createSmstwoCarrier } from './carrier.ts';
import { completeConfig, manifest, smstwoConfig } from './manifest.ts';

export const provider: ProviderKind = {
  manifest,
  complete: completeConfig,
  create: (name, config, context) => createSmstwoCarrier(name, smstwoConfig(config), context),
  readCallback,
};
