export { readCallback } from './callback.ts';
export { createSendgridCarrier } from './carrier.ts';
export { completeConfig, manifest, sendgridConfig } from './manifest.ts';
