import { type ChatoneApi, createChatoneCarrier, isGone } from '../../../../channels/chatone/index.ts';
import type { ChatoneTargets } from '../../../../channels/chatone/plan.ts';
import { createRateGuard, withRateGuard } from '../../../../channels/rate-guard.ts';
import type { Deps } from '../../../../deps.ts';
import { createConnectionHealth } from '../../provider-health/index.ts';
import { type InstallationRow, listInstallationsById } from './store.ts';
import { createTokenKeeper } from './tokens.ts';

/** The limit is about one message a second for a conversation; short bursts are tolerated. */
const limit = { burst: 5, everyMs: 1_000 };

export function createChatoneTargets(
  deps: Pick<Deps, 'pool' | 'keyring' | 'clock' | 'log' | 'config'> & { chatoneApi: ChatoneApi },
): ChatoneTargets {
  const health = createConnectionHealth(deps, 'chatone_installations', isGone);
  const keeper = createTokenKeeper(deps);
  const rateGuard = createRateGuard(limit);
  return {
    async targetsOf(addressees) {
      const ids = [...new Set(addressees.flatMap(({ connection_id: id }) => id ?? []))];
      const rows = ids.length === 0 ? [] : await listInstallationsById(deps.pool, ids);
      const found = new Map(rows.map((row) => [row.id, row]));
      return ({ environment_id, connection_id }) => {
        const row = found.get(connection_id ?? '');
        return row && row.environment_id === environment_id ? row : null;
      };
    },
    carrierTo(installation: InstallationRow, conversation) {
      const carrier = createChatoneCarrier({
        api: deps.chatoneApi,
        name: `chatone:${installation.team_id}`,
        rateLimitKey: `${installation.id}:${conversation}`,
        autoJoin: installation.auto_join_public_channels,
        token: (stale) => keeper.tokenOf(installation, stale),
      });
      return withRateGuard(health.observe(carrier, installation), rateGuard, deps.clock);
    },
  };
}
