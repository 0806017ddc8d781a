import type { Deps } from '../../deps.ts';
import type { Principal } from '../../http/principal.ts';
import { problemOf } from '../../http/problem.ts';
import { compileRequestCheck } from '../../http/validation.ts';
import { sha256Hex } from '../../kernel/crypto.ts';
import { Problem } from '../../kernel/errors.ts';
import { TaskStopped } from '../../threads/task.ts';
import { type NotificationService, SendRequest } from '../notifications/notifications/index.ts';
import type { SubmittedMessage } from './message.ts';
import { isTemporary, replyTo } from './replies.ts';
import { messageTask } from './tasks.ts';

/** A received message with its envelope. */
interface Submission {
  principal: Principal;
  recipients: string[];
  bytes: Buffer;
  /** Whether the client has closed the connection: it has not seen an answer, and will submit the message again. */
  isAbandoned(): boolean;
}

/** Every recipient gets a copy of the content, which the database stores. */
const maxCopiedBytes = 100 * 1_048_576;
/** The copies that are written at the same time. */
const concurrentBytes = 8 * 1_048_576;

const checkRequest = compileRequestCheck(SendRequest, 'body');

/**
 * Accepts a message as one email notification per recipient, through the same service as `POST /v1/notifications`. Returns their
 * ids once all of them are committed. When some could not be written it throws, and the client's retry adds only the missing
 * ones: each has an idempotency key of the message and the recipient.
 */
export async function submit(
  {
    notifications,
    tasks,
    listReads,
  }: Pick<Deps, 'tasks' | 'listReads'> & { notifications: NotificationService },
  { principal, recipients, bytes, isAbandoned }: Submission,
): Promise<string[]> {
  const size = bytes.length;
  if (size * recipients.length > maxCopiedBytes)
    throw new Problem(
      'payload_too_large',
      `A message may have ${Math.floor(maxCopiedBytes / recipients.length)} bytes when it has ${recipients.length} recipients. Send it to fewer at a time.`,
    );
  const message = await read(tasks, principal.environmentId, { bytes, recipients });
  const requests = recipients.map((address) => requestFor(message, address));
  const [first] = requests;
  if (first) checkRequest(first);

  listReads.wrote(principal.id);
  try {
    const ids: string[] = [];
    const atOnce = Math.max(1, Math.floor(concurrentBytes / size));
    for (let from = 0; from < requests.length; from += atOnce) {
      const accepted = await Promise.allSettled(
        requests
          .slice(from, from + atOnce)
          .map((request) => notifications.accept(principal, request, keyFor(message, request), isAbandoned)),
      );
      const failures = accepted.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
      if (failures.length > 0) throw failures.find(isWorthRetrying) ?? failures[0];
      for (const result of accepted) {
        if (result.status === 'fulfilled') ids.push(result.value.notification.id);
      }
    }
    return ids;
  } finally {
    listReads.wrote(principal.id);
  }
}

/** The number of messages that wait is bounded by the connections. */
async function read(
  { unlimited }: Deps['tasks'],
  owner: string,
  input: Pick<Submission, 'bytes' | 'recipients'>,
): Promise<SubmittedMessage> {
  try {
    return await unlimited.run(messageTask, owner, input);
  } catch (error) {
    if (!(error instanceof TaskStopped)) throw error;
    throw new Problem('payload_too_large', 'The message is too complex to be read.');
  }
}

const isWorthRetrying = (error: unknown): boolean => isTemporary(replyTo(problemOf(error), 'data'));

type EmailRequest = SendRequest & { recipient: { address: string } };

function requestFor({ content, names }: SubmittedMessage, address: string): EmailRequest {
  const name = names.get(address.toLowerCase()) ?? null;
  return { channel: 'email', recipient: { address, name }, ...content };
}

/** A retry of the message has the same keys, also when it comes with other recipients. */
function keyFor({ idempotencyKey }: SubmittedMessage, { recipient }: EmailRequest): string | null {
  if (idempotencyKey === null) return null;
  const key = `${idempotencyKey} ${recipient.address}`;
  return /^[\x20-\x7e]{1,255}$/.test(key) ? key : `sha256:${sha256Hex(key)}`;
}
