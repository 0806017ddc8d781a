export { magicAddresses } from '../email/magic.ts';
export type { SandboxStore } from '../provider.ts';
export { magicNumbers } from '../sms/magic.ts';
export { createSandboxCarrier, createSandboxStore, provider } from './carrier.ts';
export { viewPayload } from './payload.ts';
