import type { ProviderKind } from '../../../provider.ts';
import { readCallback } from './callback.ts';
import { createSendgridCarrier } from './carrier.ts';
import { completeConfig, manifest, sendgridConfig } from './manifest.ts';

export const provider: ProviderKind = {
  manifest,
  complete: completeConfig,
  create: (name, config, context) => createSendgridCarrier(name, sendgridConfig(config), context),
  readCallback,
};
