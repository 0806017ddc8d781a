import type { Sql } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { compileValidator } from '../../../http/validation.ts';
import { Problem } from '../../../kernel/errors.ts';
import { ObjectStoreError } from '../../../kernel/object-store.ts';
import { hasLimit, lockPlans, refuseBeyondPlan } from '../../control/usage/index.ts';
import type { NotificationObjects } from '../../platform/objects/index.ts';
import { type Acceptance, checkRequest, type Sender, storedBytes } from './accept.ts';
import { type LookupSources, lookUp } from './lookups.ts';
import type { ContentRow } from './notification-row.ts';
import { acceptanceOfResend, checkResendable, contentToResend } from './resend.ts';
import { SendRequest } from './schema.ts';
import type { StoredNotification } from './store.ts';
import { insertAcceptances, insertLargeContent } from './write.ts';

/** A notification that passed every check and is written in the transaction of its sender. */
export interface Draft {
  id: string;
  externalUserId: string | null;
  acceptance: Acceptance;
}

/**
 * For features that send notifications as part of a change of their own: the same checks as the API makes, and a write in their
 * transaction. Neither exists without the other, which is why no Idempotency-Key is needed.
 */
export interface Drafts {
  /** Resolves to the Problem that the API would have answered. The content was evaluated before. `origin` is shown as the notification's idempotency key. */
  check(sender: Sender, request: unknown, origin: string): Promise<Draft | Problem>;
  /** A notification like this failed or bounced one, as `resend` of the API makes it; or the Problem that it answers. */
  resend(sender: Sender, stored: StoredNotification): Promise<Draft | Problem>;
  /** Drafts that no longer fit into their plan, by id: they must not be written. */
  refused(tx: Sql, drafts: Draft[]): Promise<Map<string, Problem>>;
  /**
   * The statement is sent with the commit; afterwards call `written` and ring `notification`. See `transaction` about
   * withCommit.
   */
  write(tx: Sql, withCommit: (statement: Promise<unknown>) => void, drafts: Draft[]): void;
  written(drafts: Draft[]): void;
}

const validate = compileValidator(SendRequest, 'body');

export function createDrafts(
  deps: Pick<Deps, 'queue' | 'clock' | 'metrics' | 'activity' | 'storage'> & {
    lookups: LookupSources;
    objects: NotificationObjects;
  },
): Drafts {
  /** Bodies that cannot be uploaded stay in the database: a run does not wait for the object store. */
  async function uploadBodies(acceptance: Acceptance): Promise<void> {
    const { row, content, bytes } = acceptance;
    if (bytes.length > 0 || !deps.objects.takesBodies(content)) return;
    try {
      const given = { attachments: [], bodies: content };
      acceptance.uploaded = await deps.objects.upload(row.environment_id, row.id, given);
    } catch (error) {
      if (!(error instanceof ObjectStoreError) && !(error instanceof Problem)) throw error;
    }
  }

  const draftOf = (acceptance: Acceptance): Draft => ({
    id: acceptance.row.id,
    externalUserId: acceptance.row.external_user_id,
    acceptance,
  });

  return {
    async check(sender, request, origin) {
      try {
        validate(request);
        const checked = request as SendRequest;
        deps.storage.check(sender);
        const lookups = await lookUp(deps.lookups, sender, checked);
        const acceptance = checkRequest(sender, checked, lookups, {
          idempotency: null,
          defaultPriority: 'normal',
          inlineRule: 'never',
          now: deps.clock(),
        });
        acceptance.row.idempotency_key = origin;
        await uploadBodies(acceptance);
        return draftOf(acceptance);
      } catch (error) {
        if (error instanceof Problem) return error;
        throw error;
      }
    },

    async resend(sender, stored) {
      let whole = stored;
      let content: ContentRow;
      try {
        checkResendable(stored);
        deps.storage.check(sender);
        [whole = stored] = await deps.objects.withBodies([stored]);
        content = await contentToResend(deps.lookups, sender, whole);
      } catch (error) {
        if (error instanceof Problem) return error;
        throw error;
      }
      const acceptance = acceptanceOfResend(sender, whole, content, null, deps.clock());
      await uploadBodies(acceptance);
      return draftOf(acceptance);
    },

    async refused(tx, drafts) {
      const sends = drafts.flatMap(({ acceptance }) => acceptance.meter ?? []);
      if (!sends.some(hasLimit)) return new Map();
      await lockPlans(tx, sends);
      return refuseBeyondPlan(tx, sends);
    },

    write(tx, withCommit, drafts) {
      if (drafts.length === 0) return;
      const taken = drafts.map(({ acceptance }) => acceptance);
      withCommit(insertAcceptances(tx, deps.queue, taken));
      withCommit(insertLargeContent(tx, taken));
    },

    written(drafts) {
      for (const { acceptance } of drafts) {
        const { environment_id, channel } = acceptance.row;
        deps.metrics.accepted.inc({ channel });
        deps.activity.count(environment_id, channel, 'accepted');
        deps.storage.add(acceptance.sender, () => storedBytes(acceptance));
      }
    },
  };
}
