import type { ProviderKind } from '../../../provider.ts';
import { readCallback } from './callback.ts';
import { createPostmarkCarrier } from './carrier.ts';
import { completeConfig, manifest, postmarkConfig } from './manifest.ts';

export const provider: ProviderKind = {
  manifest,
  complete: completeConfig,
  create: (name, config, context) => createPostmarkCarrier(name, postmarkConfig(config), context),
  readCallback,
};
