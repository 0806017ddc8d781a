import { setTimeout as delay } from 'node:timers/promises';
import { startSmtpSimulator } from '../simulators/smtp.ts';
import { type Audit, audit, settled } from './audit.ts';
import { liveKey, startFleet, testKey } from './fleet.ts';
import { type Letter, startLoad } from './load.ts';
import { type StormOptions, type StormReport, storm } from './storm.ts';

export interface TrialReport extends Audit, StormReport {
  /** Requests that had to be repeated, and answers that no caller should have got. */
  repeats: number;
  surprises: string[];
  /** Processes that ended without having been killed. */
  unexpectedEnds: string[];
  longestTakeoverMs: number;
}

const mailServerTakesMs = 30;
const settleWithinMs = 90_000;

/** Load and killing at once, then peace until everything has come to an end, then the reckoning. */
export async function runTrial(
  options: Omit<StormOptions, 'afterKills'> & { restMs?: number },
): Promise<TrialReport> {
  const mailServer = await startSmtpSimulator();
  // Long enough that every killed worker leaves messages behind whose fate it did not learn.
  mailServer.script.message = () => delay(mailServerTakesMs, null);
  const fleet = await startFleet();
  try {
    await configureMail(fleet.api.url, mailServer.port);
    const load = startLoad(fleet.api.url, letter, options.restMs);
    const stormed = await storm(fleet, { ...options, afterKills: load.stop });
    await settled(fleet, settleWithinMs);
    return {
      ...stormed,
      ...(await audit(fleet, load.acknowledged, mailServer.received)),
      repeats: load.repeats(),
      surprises: load.surprises,
      unexpectedEnds: fleet.unexpectedEnds(),
      longestTakeoverMs: Math.max(0, ...stormed.takeovers.map(({ tookMs }) => tookMs)),
    };
  } finally {
    await fleet.stop();
    await mailServer.stop();
  }
}

/** Mostly plain ones; some that keep their worker busy for seconds, some that need a second try, some over SMTP. */
function letter(number: number): Letter {
  const to = (address: string) => ({
    channel: 'email',
    recipient: { address },
    subject: `Letter ${number}`,
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
