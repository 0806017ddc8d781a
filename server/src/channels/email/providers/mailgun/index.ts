import type { ProviderKind } from '../../../provider.ts';
import { readCallback } from './callback.ts';
import { createMailgunCarrier } from './carrier.ts';
import { completeConfig, mailgunConfig, manifest } from './manifest.ts';

export const provider: ProviderKind = {
  manifest,
  complete: completeConfig,
  create: (name, config, context) => createMailgunCarrier(name, mailgunConfig(config), context),
  readCallback,
};
