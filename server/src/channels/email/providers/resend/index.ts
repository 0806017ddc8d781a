export { readCallback } from './callback.ts';
export { createResendCarrier } from './carrier.ts';
export { completeConfig, manifest, resendConfig } from './manifest.ts';
