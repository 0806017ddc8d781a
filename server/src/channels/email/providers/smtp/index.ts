export { createSmtpCarrier, type SmtpOptions } from './carrier.ts';
export { completeConfig, manifest, type SmtpConfig, smtpConfig, smtpConfigOfUrl } from './manifest.ts';
