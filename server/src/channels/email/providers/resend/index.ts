import type { ProviderKind } from '../../../provider.ts';
import { readCallback } from './callback.ts';
import { createResendCarrier } from './carrier.ts';
import { completeConfig, manifest, resendConfig } from './manifest.ts';

export const provider: ProviderKind = {
  manifest,
  complete: completeConfig,
  create: (name, config, context) => createResendCarrier(name, resendConfig(config), context),
  readCallback,
};
