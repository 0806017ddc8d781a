export { createSandboxCarrier, createSandboxStore, manifest, type SandboxStore } from './carrier.ts';
export { magicAddresses, sandboxAnswer } from './outcome.ts';
export { type SandboxPayload, type StoredEmail, storedPayload, viewPayload } from './payload.ts';
