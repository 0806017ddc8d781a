import { setTimeout as delay } from 'node:timers/promises';
import { startSmtpSimulator } from '../simulators/smtp.ts';
import { type Audit, audit } from './audit.ts';
import { type Load, type Send, startLoad } from './load.ts';
import { liveKey, type Processes, testKey } from './processes.ts';

const mailServerTakesMs = 30;

/** Emails of all kinds, and what became of them. */
export interface Messages {
  load: Load;
  audit(): Promise<Audit>;
  close(): Promise<void>;
}

export async function startMessages(processes: Processes, restMs: number): Promise<Messages> {
  const mailServer = await startSmtpSimulator();
  // Long enough that every killed worker leaves messages behind whose fate it did not learn.
  mailServer.script.message = () => delay(mailServerTakesMs, null);
  await configureMail(processes.api.url, mailServer.port);
  const load = startLoad(processes.api.url, 'message', message, restMs);
  return {
    load,
    audit: () => audit(processes, load.acknowledged, mailServer.received),
    close: mailServer.stop,
  };
}

/** Mostly plain ones; some that keep their worker busy for seconds, some that need a second try, some over SMTP. */
function message(number: number): Send {
  const to = (address: string) => ({
    channel: 'email',
    recipient: { address },
    subject: `Message ${number}`,
    text_body: 'It rings.',
  });
  switch (number % 10) {
    case 0:
      return { apiKey: testKey, body: to('slow@sandbox.test') };
    case 1:
      return { apiKey: testKey, body: to('refused-once@sandbox.test') };
    case 2:
    case 3:
      return { apiKey: liveKey, body: to('ada@example.com') };
    case 4:
      return { apiKey: liveKey, body: { ...to('ada@example.com'), priority: 'critical' } };
    default:
      return { apiKey: testKey, body: to('ada@example.com') };
  }
}

/** The Live environment sends through this server from now on. */
export async function configureMail(apiUrl: string, port: number): Promise<void> {
  const headers = { authorization: `Bearer ${liveKey}`, 'content-type': 'application/json' };
  const me = (await (await fetch(`${apiUrl}/v1/me`, { headers })).json()) as { environment_id: string };
  const response = await fetch(`${apiUrl}/v1/environments/${me.environment_id}/email-settings`, {
    method: 'PUT',
    headers,
    body: JSON.stringify({
      from_address: 'bells@example.com',
      providers: [{ kind: 'smtp', config: { host: '127.0.0.1', port, secure: false } }],
    }),
  });
  if (!response.ok) throw new Error(`email settings: ${response.status} ${await response.text()}`);
}
