import { signatureProblem } from '../../../../channels/chatone/index.ts';
import { transaction } from '../../../../db/sql.ts';
import type { Deps } from '../../../../deps.ts';
import type { Reply } from '../../../../http/route.ts';
import { Problem } from '../../../../kernel/errors.ts';
import { recordAudit, serviceAuthor } from '../../../platform/audit/index.ts';
import { type LostTeam, markTeamGone } from './store.ts';

interface SignedRequest {
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
  requestId: string;
}

/**
 * Handles events of the service about our app. Handling is idempotent, and an old event does not affect an installation made
 * after it, so a replay within the five minutes of its signature changes nothing either.
 */
export function createEventReader({ pool, clock, config }: Pick<Deps, 'pool' | 'clock' | 'config'>) {
  return async ({ headers, body, requestId }: SignedRequest): Promise<Reply> => {
    const secret = config.CARILLON_CHATONE_SIGNING_SECRET;
    if (!secret)
      throw new Problem(
        'resource_not_found',
        'There is no Slack app: CARILLON_CHATONE_SIGNING_SECRET is not set.',
      );
    const signed = {
      timestamp: textOf(headers['x-slack-request-timestamp']),
      signature: textOf(headers['x-slack-signature']),
    };
    const problem = signatureProblem(secret, signed, body, clock());
    if (problem) throw new Problem('invalid_credentials', problem);
    const event = read(body);
    if (event.type === 'url_verification')
      return { status: 200, body: { challenge: String(event.challenge ?? '').slice(0, 1_000) } };
    const lost = lostTeamOf(event);
    if (lost) await markLost(lost, requestId);
    return { status: 200, body: {} };
  };

  async function markLost(lost: LostTeam, requestId: string): Promise<void> {
    await transaction(pool, async (tx) => {
      for (const { id, environment_id, organization_id } of await markTeamGone(tx, lost)) {
        const author = { ...serviceAuthor(organization_id, environment_id), requestId };
        await recordAudit(tx, author, {
          action: 'chatone_installation.lost',
          target: `chatone_installation:${id}`,
          after: { status: 'gone', last_failure_reason: lost.reason },
        });
      }
    });
  }
}

const textOf = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;

type Json = Record<string, unknown>;

function read(body: Buffer): Json {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (typeof value === 'object' && value !== null) return value as Json;
  } catch {
    // The Problem below covers this case.
  }
  throw new Problem('invalid_json', 'The body is not a JSON object.');
}

/** Returns null for events about anything else. */
function lostTeamOf({
  team_id: teamId,
  api_app_id: appId,
  event_time: seconds,
  event,
}: Json): LostTeam | null {
  if (typeof teamId !== 'string' || typeof appId !== 'string') return null;
  const { type, tokens } = (event ?? {}) as { type?: unknown; tokens?: { bot?: unknown } };
  // The time is the end of the second: an event within that second may have come after the installation.
  const happenedAt = new Date((typeof seconds === 'number' ? seconds + 1 : 0) * 1000);
  const lost = { teamId, appId, happenedAt };
  if (type === 'app_uninstalled') {
    const reason = 'app_uninstalled: The app was removed from the workspace; install it again.';
    return { ...lost, botUserIds: null, reason };
  }
  if (type !== 'tokens_revoked' || !Array.isArray(tokens?.bot) || tokens.bot.length === 0) return null;
  const botUserIds = tokens.bot.filter((id): id is string => typeof id === 'string');
  return { ...lost, botUserIds, reason: 'tokens_revoked: The token was revoked; install the app again.' };
}
