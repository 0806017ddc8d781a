import { setTimeout as delay } from 'node:timers/promises';
import type { SMTPServerDataStream, SMTPServerOptions, SMTPServerSession } from 'smtp-server';
import { channelSpecs } from '../../channels/specs.ts';
import type { Deps } from '../../deps.ts';
import type { RateLimiter } from '../../http/access.ts';
import type { Principal } from '../../http/principal.ts';
import { problemOf } from '../../http/problem.ts';
import { Problem } from '../../kernel/errors.ts';
import type { NotificationService } from '../notifications/notifications/index.ts';
import {
  addressKey,
  type createConnectionCounts,
  type createReceiver,
  type createSignedInCounts,
  type createSignInGuard,
  smtpLimits,
} from './limits.ts';
import { isTemporary, replyTo, type SmtpError, type SmtpStep, smtpError } from './replies.ts';
import { submit } from './submission.ts';

export type SmtpInDeps = Pick<
  Deps,
  'config' | 'log' | 'metrics' | 'tracer' | 'authenticator' | 'tasks' | 'listReads'
> & { rateLimiter: RateLimiter; notifications: NotificationService };

const restarting = 'The server is restarting. Connect again.';

/** What the steps of a session use. */
export interface SmtpListener extends SmtpInDeps {
  hasCertificate: boolean;
  disabledCommands: string[];
  byAddress: ReturnType<typeof createConnectionCounts>;
  signedIn: ReturnType<typeof createSignedInCounts>;
  delayOfFailure: ReturnType<typeof createSignInGuard>;
  receiver: ReturnType<typeof createReceiver>;
  sessions: WeakMap<SMTPServerSession, SessionState>;
  isStopping: boolean;
  connectionOf(
    session: SMTPServerSession,
  ): { send(code: number, text: string): void; close(): void } | undefined;
}

interface SessionState {
  /** The key is looked up for each message: once revoked, it must not send any more. */
  key: { secret: string; environmentId: string } | null;
  signInTimer?: NodeJS.Timeout;
  signOut?: () => void;
  failedSignIns: number;
  /** A message is being received or written. */
  isBusy: boolean;
  isClosed: boolean;
}

/** The steps of a session, each with its reply. */
export function handlersOf(listener: SmtpListener): SMTPServerOptions {
  const answer = (step: SmtpStep, work: Promise<void>): Promise<SmtpError | null> =>
    work.then(
      () => null,
      (error: unknown) => replyOf(listener, error, step),
    );
  return {
    onConnect(session, callback) {
      if (listener.byAddress.isOver(addressKey(session.remoteAddress)))
        return callback(smtpError(421, 'Too many connections from your address. Try again later.'));
      if (!mayUsePlaintext(listener, session))
        session.disabledCommands = [...listener.disabledCommands, 'AUTH'];
      const timer = setTimeout(() => end(listener, session, 'No sign-in in time.'), smtpLimits.signInMs);
      stateOf(listener, session).signInTimer = timer.unref();
      callback();
    },

    onSecure(_socket, session, callback) {
      session.disabledCommands = listener.disabledCommands;
      callback();
    },

    onAuth({ password }, session, callback) {
      answer('auth', signIn(listener, session, password ?? '')).then((error) => {
        if (error) callback(error);
        else callback(null, { user: 'key' });
      });
    },

    onMailFrom(_address, session, callback) {
      answer('mail', admit(listener, session)).then(callback);
    },

    onRcptTo({ address }, _session, callback) {
      try {
        channelSpecs.email.recipient.targetOf({ address }, null);
        callback();
      } catch (error) {
        callback(replyTo(problemOf(error), 'rcpt'));
      }
    },

    onData(stream, session, callback) {
      receive(listener, session, stream).then(
        ([first, ...others]) =>
          callback(null, `Queued as ${first}${others.length > 0 ? ` and ${others.length} more` : ''}`),
        (reply: SmtpError) => {
          callback(reply);
          // The client may never come to the final dot: nothing of what it sends from here on is of use.
          if (stream.sizeExceeded) listener.connectionOf(session)?.close();
        },
      );
    },

    onClose(session) {
      const state = stateOf(listener, session);
      state.isClosed = true;
      clearTimeout(state.signInTimer);
      state.signOut?.();
    },
  };
}

function stateOf({ sessions }: SmtpListener, session: SMTPServerSession): SessionState {
  const known = sessions.get(session);
  if (known) return known;
  const state: SessionState = { key: null, failedSignIns: 0, isBusy: false, isClosed: false };
  sessions.set(session, state);
  return state;
}

/** A key in the clear can be read on the way; on the machine itself there is no way. */
function mayUsePlaintext({ config }: SmtpListener, { remoteAddress }: SMTPServerSession): boolean {
  return (
    config.CARILLON_SMTP_PLAINTEXT === 'all' || remoteAddress === '::1' || remoteAddress.startsWith('127.')
  );
}

async function signIn(listener: SmtpListener, session: SMTPServerSession, secret: string): Promise<void> {
  const state = stateOf(listener, session);
  try {
    const principal = await principalOf(listener, secret);
    if (!state.isClosed) state.signOut = countSignedIn(listener, principal);
    state.key = { secret, environmentId: principal.environmentId };
  } catch (error) {
    const { status } = problemOf(error);
    if (status === 401 || status === 403) await delayReply(listener, session);
    throw error;
  }
  clearTimeout(state.signInTimer);
  listener.metrics.smtpSignIns.inc({ outcome: 'accepted' });
}

/** Returns the function that counts the connection out again. */
function countSignedIn({ signedIn }: SmtpListener, principal: Principal): () => void {
  const signOut = signedIn.open(principal);
  if (signOut) return signOut;
  throw new Problem(
    'rate_limited',
    'This key or its organization has too many connections. Try again later.',
  );
}

/** After a failed sign-in; after too many of them, the connection ends. */
async function delayReply(listener: SmtpListener, session: SMTPServerSession): Promise<void> {
  listener.metrics.smtpSignIns.inc({ outcome: 'rejected' });
  const state = stateOf(listener, session);
  state.failedSignIns += 1;
  const isLast = state.failedSignIns >= smtpLimits.failedSignInsPerConnection;
  await delay(listener.delayOfFailure(session.remoteAddress), null, { ref: false });
  if (isLast) setImmediate(() => end(listener, session, 'Too many failed sign-ins.'));
}

async function principalOf({ authenticator }: SmtpListener, secret: string): Promise<Principal> {
  const principal = await authenticator.byKey(secret);
  if (!principal.scopes.has('notifications:send'))
    throw new Problem('insufficient_scope', 'The key needs the scope notifications:send.');
  return principal;
}

/** A message counts as one request of its key, like a batch. */
async function admit(listener: SmtpListener, session: SMTPServerSession): Promise<void> {
  const { key } = stateOf(listener, session);
  if (!key || !session.user) throw signInFirst(listener, session);
  const verdict = await listener.rateLimiter.take(await principalOf(listener, key.secret));
  if (verdict && !verdict.allowed)
    throw new Problem(
      'rate_limited',
      `This key can make ${verdict.ratePerSecond} requests per second. Try again later.`,
    );
}

function signInFirst(listener: SmtpListener, session: SMTPServerSession): Problem {
  if (session.secure || mayUsePlaintext(listener, session))
    return new Problem('missing_credentials', 'Sign in first: the password is an API key.');
  return new Problem(
    'missing_credentials',
    listener.hasCertificate
      ? 'Start TLS first (STARTTLS), then sign in with an API key.'
      : 'This server has no certificate, and takes keys without TLS from its own machine only.',
  );
}

/** Returns the ids of the notifications; throws the reply to a message that was not accepted. */
async function receive(
  listener: SmtpListener,
  session: SMTPServerSession,
  stream: SMTPServerDataStream,
): Promise<string[]> {
  const { metrics, tracer } = listener;
  const state = stateOf(listener, session);
  state.isBusy = true;
  const span = tracer.start('submitMessage', 'server');
  try {
    const ids = await submitReceived(listener, session, stream);
    metrics.smtpMessages.inc({ outcome: 'accepted' });
    span.end({ 'carillon.notifications': ids.length }, true);
    return ids;
  } catch (error) {
    const reply = replyOf(listener, error, 'data');
    metrics.smtpMessages.inc({ outcome: isTemporary(reply) ? 'deferred' : 'rejected' });
    span.end({ 'smtp.code': reply.responseCode }, !isTemporary(reply));
    throw reply;
  } finally {
    state.isBusy = false;
    if (listener.isStopping) setImmediate(() => end(listener, session, restarting));
  }
}

async function submitReceived(
  listener: SmtpListener,
  session: SMTPServerSession,
  stream: SMTPServerDataStream,
): Promise<string[]> {
  const state = stateOf(listener, session);
  const { key } = state;
  if (!key) throw signInFirst(listener, session);
  const recipients = session.envelope.rcptTo.map(({ address }) => address);
  const late = setTimeout(() => end(listener, session, 'The message took too long.'), smtpLimits.receiveMs);
  try {
    return await listener.receiver.read(key.environmentId, stream, async (bytes) => {
      clearTimeout(late);
      const principal = await principalOf(listener, key.secret);
      return submit(listener, { principal, recipients, bytes, isAbandoned: () => state.isClosed });
    });
  } finally {
    clearTimeout(late);
  }
}

function replyOf({ log }: SmtpListener, error: unknown, step: SmtpStep): SmtpError {
  const problem = problemOf(error);
  if (problem.status >= 500) log.error({ err: problem.cause }, problem.message);
  return replyTo(problem, step);
}

/** Ends the connection when the service stops. With a message under way, that waits for the reply. */
export function endIdle(listener: SmtpListener, session: SMTPServerSession): void {
  if (!stateOf(listener, session).isBusy) end(listener, session, restarting);
}

function end({ connectionOf }: SmtpListener, session: SMTPServerSession, reason: string): void {
  connectionOf(session)?.send(421, reason);
}
