export { readCallback } from './callback.ts';
export { createPostmarkCarrier } from './carrier.ts';
export { completeConfig, manifest, postmarkConfig } from './manifest.ts';
