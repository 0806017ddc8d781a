import { createSmtpCarrier } from '../../src/channels/email/providers/smtp/index.ts';
import { type Reply, type SmtpSimulator, startSmtpSimulator } from '../simulators/smtp.ts';
import {
  emailMessage,
  mailgunBench,
  postmarkBench,
  resendBench,
  sendgridBench,
  sesBench,
} from './email-benches.ts';
import { type Bench, examine, type Mishap, wrongSecret } from './exam.ts';
import { httpMishaps, says } from './http-bench.ts';

const sesError = (status: number, type: string, message: string) =>
  says({ status, headers: { 'x-amzn-errortype': `${type}:http://internal.amazon.com/` }, body: { message } });

examine({
  provider: 'ses',
  idempotent: false,
  start: sesBench,
  mishaps: httpMishaps(),
  refusals: [
    {
      title: 'too many requests',
      provoke: sesError(429, 'TooManyRequestsException', 'Too many requests'),
      outcome: { kind: 'throttled', code: 'TooManyRequestsException', retryAfterMs: null },
    },
    {
      title: 'above the sending rate',
      provoke: sesError(400, 'ThrottlingException', 'Maximum sending rate exceeded.'),
      outcome: { kind: 'throttled', retryAfterMs: null },
    },
    {
      title: 'above the daily quota',
      provoke: sesError(400, 'ThrottlingException', 'Daily message quota exceeded.'),
      outcome: { kind: 'throttled', retryAfterMs: 3_600_000 },
    },
    {
      title: 'a limit of the account',
      provoke: sesError(400, 'LimitExceededException', 'Limit exceeded'),
      outcome: { kind: 'throttled', retryAfterMs: 3_600_000 },
    },
    {
      title: 'refused content',
      provoke: sesError(400, 'MessageRejected', 'Message contains a virus.'),
      outcome: { kind: 'rejected', code: 'MessageRejected' },
    },
    {
      title: 'an unverified sender',
      provoke: sesError(400, 'MessageRejected', 'Email address is not verified.'),
      outcome: { kind: 'broken', code: 'MessageRejected' },
    },
    ...['AccountSuspendedException', 'SendingPausedException', 'MailFromDomainNotVerifiedException'].map(
      (type) => ({
        title: type,
        provoke: sesError(400, type, 'no'),
        outcome: { kind: 'broken' as const, code: type },
      }),
    ),
    {
      title: 'an unknown configuration set',
      provoke: sesError(404, 'NotFoundException', 'Configuration set does not exist.'),
      outcome: { kind: 'broken', code: 'NotFoundException' },
    },
    {
      title: 'a bad request',
      provoke: sesError(400, 'BadRequestException', 'Missing final @domain'),
      outcome: { kind: 'rejected', code: 'BadRequestException' },
    },
    ...[
      'InvalidClientTokenId',
      'AccessDeniedException',
      'ExpiredTokenException',
      'SignatureDoesNotMatch',
    ].map((type) => ({
      title: `credentials that no longer hold (${type})`,
      provoke: sesError(403, type, 'no'),
      outcome: { kind: 'broken' as const, code: type },
    })),
    {
      title: 'an error with a type in its body, as older services send it',
      provoke: says({ status: 400, body: { __type: 'com.amazonaws.ses#MessageRejected', message: 'spam' } }),
      outcome: { kind: 'rejected', code: 'MessageRejected' },
    },
    {
      title: 'a failure of the service',
      provoke: sesError(503, 'ServiceUnavailable', 'try again'),
      outcome: { kind: 'retry' },
    },
  ],
});

const sendgridError = (status: number, message: string, headers: Record<string, string> = {}) =>
  says({ status, headers, body: { errors: [{ message, field: null, help: null }] } });

examine({
  provider: 'sendgrid',
  idempotent: false,
  start: sendgridBench,
  mishaps: httpMishaps(),
  refusals: [
    {
      title: 'a bad request',
      provoke: sendgridError(400, 'bad'),
      outcome: { kind: 'rejected', detail: '400 bad' },
    },
    {
      title: 'credits used up',
      provoke: sendgridError(401, 'Maximum credits exceeded'),
      outcome: { kind: 'broken', detail: '401 Maximum credits exceeded' },
    },
    {
      title: 'an unverified sender',
      provoke: sendgridError(403, 'The from address does not match a verified Sender Identity.'),
      outcome: { kind: 'broken' },
    },
    ...[404, 405, 406, 413].map((status) => ({
      title: `status ${status}`,
      provoke: sendgridError(status, 'no'),
      outcome: { kind: 'rejected' as const },
    })),
    {
      title: 'an account of another region',
      provoke: sendgridError(451, 'data residency'),
      outcome: { kind: 'broken' },
    },
    { title: 'unavailable', provoke: sendgridError(503, 'no'), outcome: { kind: 'retry' } },
    {
      title: 'success with errors inside',
      provoke: sendgridError(200, 'not really'),
      outcome: { kind: 'rejected', detail: '200 not really' },
    },
    {
      title: 'an error without words',
      provoke: says({ status: 400, body: { errors: [] } }),
      outcome: { kind: 'rejected', detail: 'It answered 400.' },
    },
  ],
});

const postmarkError = (status: number, code: number, message = 'no') =>
  says({ status, body: { ErrorCode: code, Message: message } });

examine({
  provider: 'postmark',
  idempotent: false,
  start: postmarkBench,
  mishaps: httpMishaps(),
  refusals: [
    {
      title: 'an inactive recipient',
      provoke: ({ simulator }) => void simulator.inactive.add('ada@example.com'),
      outcome: { kind: 'suppress', reason: 'hard_bounce', code: '422 406' },
    },
    ...(
      [
        [401, 10, 'broken'],
        [422, 100, 'retry'],
        [422, 300, 'rejected'],
        [422, 400, 'broken'],
        [422, 401, 'broken'],
        [422, 402, 'rejected'],
        [422, 403, 'rejected'],
        [422, 405, 'broken'],
        [422, 409, 'rejected'],
        [422, 411, 'rejected'],
        [422, 412, 'broken'],
        [422, 413, 'broken'],
        [422, 429, 'throttled'],
        [429, 429, 'throttled'],
        [422, 1101, 'rejected'],
        [500, 0, 'retry'],
        [503, 100, 'retry'],
        [200, 300, 'rejected'],
      ] as const
    ).map(([status, code, kind]) => ({
      title: `status ${status} with code ${code}`,
      provoke: postmarkError(status, code),
      outcome: { kind },
    })),
    {
      title: 'a network filter on the way',
      provoke: says({
        status: 403,
        headers: { 'content-type': 'text/html' },
        body: '<html>Forbidden</html>',
      }),
      outcome: { kind: 'retry', detail: 'It answered 403.' },
    },
  ],
});

const resendError = (statusCode: number, name: string, headers: Record<string, string> = {}) =>
  says({ status: statusCode, headers, body: { statusCode, name, message: 'no' } });

examine({
  provider: 'resend',
  idempotent: true,
  start: resendBench,
  mishaps: httpMishaps(),
  refusals: [
    ...(
      [
        [400, 'invalid_idempotency_key', 'rejected'],
        [400, 'validation_error', 'rejected'],
        [401, 'missing_api_key', 'broken'],
        [401, 'restricted_api_key', 'broken'],
        [403, 'invalid_api_key', 'broken'],
        [403, 'invalid_permission', 'broken'],
        [403, 'suspended_api_key', 'broken'],
        [403, 'validation_error', 'broken'],
        [404, 'not_found', 'rejected'],
        [405, 'method_not_allowed', 'rejected'],
        [409, 'concurrent_idempotent_requests', 'ambiguous'],
        [409, 'resource_locked', 'retry'],
        [409, 'invalid_idempotent_request', 'ambiguous'],
        [422, 'invalid_attachment', 'rejected'],
        [422, 'invalid_parameter', 'rejected'],
        [422, 'invalid_from_address', 'rejected'],
        [422, 'missing_required_field', 'rejected'],
        [429, 'rate_limit_exceeded', 'throttled'],
        [429, 'daily_quota_exceeded', 'throttled'],
        [429, 'monthly_quota_exceeded', 'broken'],
        [500, 'application_error', 'retry'],
        [503, 'service_unavailable', 'retry'],
      ] as const
    ).map(([status, name, kind]) => ({
      title: `${status} ${name}`,
      provoke: resendError(status, name),
      outcome: { kind, code: name },
    })),
    {
      title: 'throttled with a reset in seconds',
      provoke: resendError(429, 'rate_limit_exceeded', { 'ratelimit-reset': '2' }),
      outcome: { kind: 'throttled', retryAfterMs: 2_000 },
    },
  ],
});

const mailgunError = (status: number, message: string) => says({ status, body: { message } });

examine({
  provider: 'mailgun',
  idempotent: false,
  start: mailgunBench,
  mishaps: httpMishaps(),
  refusals: [
    {
      title: 'a bad address',
      provoke: mailgunError(400, "'to' parameter is not a valid address."),
      outcome: { kind: 'rejected' },
    },
    {
      title: 'a domain that may not send',
      provoke: ({ simulator }) => {
        simulator.state = 'unverified';
      },
      outcome: { kind: 'broken', code: '400' },
    },
    {
      title: 'wrong key',
      provoke: says({ status: 401, headers: { 'content-type': 'text/plain' }, body: 'Forbidden' }),
      outcome: { kind: 'broken', detail: '401 Forbidden' },
    },
    ...(
      [
        [402, 'broken'],
        [403, 'broken'],
        [404, 'broken'],
        [413, 'rejected'],
        [500, 'retry'],
        [503, 'retry'],
      ] as const
    ).map(([status, kind]) => ({
      title: `status ${status}`,
      provoke: mailgunError(status, 'no'),
      outcome: { kind },
    })),
    {
      title: 'throttled, with the time in words',
      provoke: mailgunError(429, 'Too many requests: try again in 5 minutes'),
      outcome: { kind: 'throttled', retryAfterMs: 300_000 },
    },
  ],
});

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
