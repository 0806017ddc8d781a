import type { App } from './app.ts';
import { describeSettings } from './config.ts';
import { credentialsPath, readCredentials } from './features/accounts/index.ts';

/** What the terminal shows once everything runs: where, with what keys, and a command to paste. */
export function banner(app: App): string {
  const { config } = app.deps;
  if (!config.CARILLON_ROLES.includes('api'))
    return `Carillon worker is running (health at ${app.url}/healthz).`;
  const known = app.credentials ?? readCredentials(config);
  const lines = ['', `Carillon is running at ${app.url}   (API reference: ${app.url}/docs)`, ''];
  if (!known) return [...lines, 'The keys were made by an earlier start, elsewhere.', ''].join('\n');
  lines.push(
    `  Test key    ${known.test_key}`,
    `  Live key    ${known.live_key}`,
    `  Dashboard   ${known.admin_email}  ${known.admin_password}`,
    `  (also in ${credentialsPath(config)})`,
    '',
    'Send your first notification (the Test environment sends nothing out; it ends in the sandbox):',
    '',
    `curl -s ${app.url}/v1/notifications \\`,
    `  -H 'Authorization: Bearer ${known.test_key}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '{"channel":"email","recipient":{"address":"delivered@sandbox.test"},"subject":"Hello","text_body":"It rings."}'`,
    '',
  );
  return lines.join('\n');
}

export function helpText(): string {
  const rows = describeSettings();
  return [
    'carillon: notification delivery over one HTTP API.',
    '',
    'Settings are environment variables, or fields of carillon.config.json in the working directory:',
    '',
    ...rows.map(({ name, fallback, meaning }) => `  ${name}\n      ${meaning}\n      default: ${fallback}`),
    '',
  ].join('\n');
}
