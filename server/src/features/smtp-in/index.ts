export { type SmtpIn, startSmtpIn } from './server.ts';
