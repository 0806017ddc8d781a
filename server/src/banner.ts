import type { App } from './app.ts';
import { describeSettings } from './config.ts';
import { credentialsPath, readCredentials } from './features/accounts/index.ts';
import { operatorCommands } from './operator/index.ts';

/**
 * What the terminal shows once everything runs: where, with what keys, and a command to paste. Secrets are shown by the start
 * that made them; later ones say where they are, and show only the Test key, which can send nothing out.
 */
export function banner(app: App): string {
  const { config } = app.deps;
  if (!config.CARILLON_ROLES.includes('api'))
    return `Carillon worker is running (health at ${app.url}/healthz).`;
  const made = app.credentials;
  const testKey = (made ?? readCredentials(config))?.test_key;
  return [
    '',
    `Carillon is running at ${app.url}   (dashboard; API reference: ${app.url}/docs)`,
    '',
    ...(made
      ? [
          `  Test key    ${made.test_key}`,
          `  Live key    ${made.live_key}`,
          `  Dashboard   ${made.admin_email}  ${made.admin_password}`,
          `  (shown this once; kept in ${credentialsPath(config)})`,
        ]
      : [
          testKey
            ? `  Keys and login: ${credentialsPath(config)}`
            : '  Keys and login were made by an earlier start, elsewhere.',
        ]),
    '',
    ...(testKey ? firstSend(app.url, testKey) : []),
  ].join('\n');
}

function firstSend(url: string, key: string): string[] {
  return [
    'Send a notification (the Test environment sends nothing out; it ends in the sandbox):',
    '',
    `curl -s ${url}/v1/notifications \\`,
    `  -H 'Authorization: Bearer ${key}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '{"channel":"email","recipient":{"address":"delivered@sandbox.test"},"subject":"Hello","text_body":"It rings."}'`,
    '',
  ];
}

export function helpText(): string {
  const rows = describeSettings();
  return [
    'carillon: notification delivery over one HTTP API.',
    '',
    ...[
      ['', 'runs the service'],
      ...Object.values(operatorCommands).map(({ usage, does }) => [`-- ${usage}`, does]),
      ['-- --version', 'prints the version'],
    ].map(([args, does]) => `npm start ${args?.padEnd(27)}  ${does}`),
    '',
    'Settings are environment variables, or fields of carillon.config.json in the working directory:',
    '',
    ...rows.map(({ name, fallback, meaning }) => `  ${name}\n      ${meaning}\n      default: ${fallback}`),
    '',
  ].join('\n');
}
