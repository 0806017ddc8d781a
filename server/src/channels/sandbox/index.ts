export { createSandboxCarrier, createSandboxStore, manifest, type SandboxStore } from './carrier.ts';
export { magicAddresses, magicNumbers } from './outcome.ts';
export { type SandboxPayload, type StoredPayload, storedPayload, viewPayload } from './payload.ts';
