export { readCallback } from './callback.ts';
export { createSmstwoCarrier } from './carrier.ts';
export { completeConfig, defaultApiUrl, manifest, smstwoConfig } from './manifest.ts';
export { isSigned, signedText } from './signature.ts';
