export { magicAddresses } from '../email/sandbox.ts';
export type { SandboxStore } from '../provider.ts';
export { magicNumbers } from '../sms/plan.ts';
export { createSandboxCarrier, createSandboxStore, provider } from './carrier.ts';
export { endsInSandbox } from './live-or-sandbox.ts';
export { viewPayload } from './payload.ts';
