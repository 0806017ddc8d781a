export { magicAddresses } from '../email/magic.ts';
export { magicNumbers } from '../sms/magic.ts';
export { createSandboxCarrier, createSandboxStore, provider, type SandboxStore } from './carrier.ts';
export { viewPayload } from './payload.ts';
