export { magicAddresses } from '../email/sandbox-answers.ts';
export type { SandboxStore } from '../provider.ts';
export { magicNumbers } from '../sms/sandbox-answers.ts';
export { createSandboxCarrier, createSandboxStore, provider, viewPayload } from './carrier.ts';
