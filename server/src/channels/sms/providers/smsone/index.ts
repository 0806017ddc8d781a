import type { ProviderKind } from '../../../provider.ts';
import { readCallback } from './callback.ts';
import { createSmsoneCarrier } from './carrier.ts';
import { completeConfig, manifest, smsoneConfig } from './manifest.ts';

export const provider: ProviderKind = {
  manifest,
  complete: completeConfig,
  create: (name, config, context) => createSmsoneCarrier(name, smsoneConfig(config), context),
  readCallback,
};
