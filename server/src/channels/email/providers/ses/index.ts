import type { ProviderKind } from '../../../provider.ts';
import { readCallback } from './callback.ts';
import { createSesCarrier } from './carrier.ts';
import { completeConfig, manifest, sesConfig } from './manifest.ts';

export const provider: ProviderKind = {
  manifest,
  complete: completeConfig,
  create: (name, config, context) => createSesCarrier(name, sesConfig(config), context),
  readCallback,
};
