import { parseAddressKey } from '../../../channels/address-key.ts';
import { transaction } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import type { Caller, Principal } from '../../../http/principal.ts';
import { invalidParameter, notFound } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { recordAudit } from '../../platform/audit/index.ts';
import type { SuppressionReason } from './schema.ts';
import { deleteSuppression, findSuppression, insertSuppressions, type SuppressionRow } from './store.ts';

export interface SuppressionService {
  /** `isNew` is false when the address was already on the list; its entry stays unchanged. */
  add(
    caller: Caller,
    entry: { address: string; reason: SuppressionReason },
  ): Promise<{ row: SuppressionRow; isNew: boolean }>;
  get(principal: Principal, address: string): Promise<SuppressionRow>;
  remove(caller: Caller, address: string, note: string | undefined): Promise<void>;
}

export function createSuppressionService({ pool, clock }: Pick<Deps, 'pool' | 'clock'>): SuppressionService {
  /** An invalid address in a path matches no entry. */
  function keyInPath(address: string): string {
    const parsed = parseAddressKey(address);
    if ('problem' in parsed) throw notFound('suppression');
    return parsed.key;
  }

  return {
    async add(caller, entry) {
      const address = addressKeyOf('address', entry.address);
      const { environmentId } = caller.principal;
      return transaction(pool, async (tx) => {
        // The entry may be removed between the insert and the read; the next insert then succeeds.
        for (;;) {
          const [added] = await insertSuppressions(tx, [
            {
              id: newId(clock()),
              environment_id: environmentId,
              address,
              reason: entry.reason,
              source: 'manual',
              diagnostic_detail: null,
              triggering_notification_id: null,
            },
          ]);
          if (added) {
            await recordAudit(tx, caller, {
              action: 'suppression.added',
              target: `suppression:${added.id}`,
              after: { reason: added.reason, source: added.source },
            });
            return { row: added, isNew: true };
          }
          const present = await findSuppression(tx, environmentId, address);
          if (present) return { row: present, isNew: false };
        }
      });
    },

    async get({ environmentId }, address) {
      const row = await findSuppression(pool, environmentId, keyInPath(address));
      if (!row) throw notFound('suppression');
      return row;
    },

    async remove(caller, address, note) {
      const key = keyInPath(address);
      await transaction(pool, async (tx) => {
        const removed = await deleteSuppression(tx, caller.principal.environmentId, key);
        if (!removed) throw notFound('suppression');
        await recordAudit(tx, caller, {
          action: 'suppression.removed',
          target: `suppression:${removed.id}`,
          before: { reason: removed.reason, source: removed.source },
          after: note === undefined ? null : { note },
        });
      });
    },
  };
}

export function addressKeyOf(param: string, text: string): string {
  const parsed = parseAddressKey(text);
  if ('problem' in parsed) throw invalidParameter(param, `${param} ${parsed.problem}.`);
  return parsed.key;
}
