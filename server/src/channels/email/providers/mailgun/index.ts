export { readCallback } from './callback.ts';
export { createMailgunCarrier } from './carrier.ts';
export { completeConfig, mailgunConfig, manifest } from './manifest.ts';
