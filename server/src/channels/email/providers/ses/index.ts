export { readCallback } from './callback.ts';
export { createSesCarrier } from './carrier.ts';
export { completeConfig, manifest, sesConfig } from './manifest.ts';
