export { readCallback } from './callback.ts';
export { createSmsoneCarrier } from './carrier.ts';
export { completeConfig, defaultApiUrl, manifest, smsoneConfig } from './manifest.ts';
export { signatureOf } from './signature.ts';
