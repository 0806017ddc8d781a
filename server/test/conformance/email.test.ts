import { createSmtpCarrier } from '../../src/channels/email/providers/smtp/index.ts';
import { emailSimulations } from '../simulators/all.ts';
import { type Reply, type SmtpSimulator, startSmtpSimulator } from '../simulators/smtp.ts';
import { emailMessage, startEmailBench } from './email-bench.ts';
import { type Bench, examine, type Mishap, wrongSecret } from './exam.ts';
import { httpMishaps } from './http-bench.ts';

for (const simulation of emailSimulations) {
  const { kind, idempotent, refusals } = simulation;
  examine({
    provider: kind,
    idempotent,
    start: () => startEmailBench(simulation),
    mishaps: httpMishaps,
    refusals,
  });
}

interface SmtpBench extends Bench {
  server: SmtpSimulator;
}

async function smtpBench(): Promise<SmtpBench> {
  const user = { username: 'acme', password: 'planted-password' };
  const server = await startSmtpSimulator({ user });
  let onHang = (): void => {};
  const hung = new Promise<void>((resolve) => {
    onHang = resolve;
  });
  const silent = (): Reply => {
    onHang();
    return 'hang';
  };
  const scripts: Partial<Record<Mishap, SmtpSimulator['script']>> = {
    server_error: { rcpt: () => ({ code: 451, text: '4.3.0 Local error' }) },
    dropped: { rcpt: () => 'drop' },
    dropped_after_accept: { message: () => 'drop' },
    hang: { mail: silent, auth: silent },
    hang_after_accept: { message: silent },
  };
  return {
    server,
    carrier: ({ wrong, unreachable, timeoutMs } = {}) =>
      createSmtpCarrier(
        'smtp',
        {
          host: '127.0.0.1',
          port: unreachable ? 1 : server.port,
          secure: false,
          requireTls: false,
          auth: { username: user.username, password: wrong ? wrongSecret : user.password },
        },
        { policy: 'loopback', ...(timeoutMs ? { timeouts: { socketMs: timeoutMs } } : {}) },
      ),
    message: emailMessage,
    taken: () => server.received.length,
    provoke(mishap) {
      server.script = scripts[mishap] ?? {};
    },
    recover() {
      server.script = {};
    },
    hung: () => hung,
    secret: user.password,
    stop: () => server.stop(),
  };
}

examine({
  provider: 'smtp',
  idempotent: false,
  start: smtpBench,
  mishaps: {
    server_error: 'retry',
    dropped: 'retry',
    dropped_after_accept: 'ambiguous',
    hang: 'retry',
    hang_after_accept: 'ambiguous',
  },
  refusals: [
    {
      title: 'no such mailbox',
      provoke: ({ server }) => {
        server.script.rcpt = () => ({ code: 550, text: '5.1.1 No such user' });
      },
      outcome: { kind: 'suppress', reason: 'hard_bounce' },
    },
    {
      title: 'refused content',
      provoke: ({ server }) => {
        server.script.message = () => ({ code: 554, text: '5.7.1 Looks like spam' });
      },
      outcome: { kind: 'rejected' },
    },
  ],
});
