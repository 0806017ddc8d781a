import type { CallbackAnswer, CallbackRequest } from '../../../channels/contract.ts';
import type { Deps } from '../../../deps.ts';
import { hasMoreNames, hasMoreValues } from '../../../http/json.ts';
import { notFound, Problem } from '../../../kernel/errors.ts';
import { type LinkSecrets, readCallbackToken } from '../../platform/links/index.ts';
import type { CallbackProviders } from '../../providers/connections/index.ts';
import type { ReportWriter } from '../receipts/index.ts';

export interface CallbackService {
  /** Checks the token before the body is read. */
  admit(address: { provider: string; token: string }): Promise<void>;
  receive(
    kind: string,
    token: string,
    request: CallbackRequest,
    requestId: string,
  ): Promise<CallbackAnswer | null>;
}

/** Enough for about 2,000 events. */
const maxValues = 40_000;
/** As names of one object, the slowest form, 40,000 values take 50 ms to parse. */
const maxNames = 2_000;

type CallbackDeps = Pick<Deps, 'log' | 'clock' | 'outbound' | 'metrics'> & {
  linkSecrets: LinkSecrets;
  callbackProviders: CallbackProviders;
  reportWriter: ReportWriter;
};

export function createCallbackService(deps: CallbackDeps): CallbackService {
  const { clock, outbound, log, metrics, callbackProviders: providers } = deps;

  async function identify(kindName: string, token: string) {
    const find = Object.hasOwn(providers, kindName) ? providers[kindName] : undefined;
    const named = find && (await readCallbackToken(deps.linkSecrets, token));
    if (!named) throw notFound('callback');
    return { ...named, find };
  }

  return {
    async admit({ provider, token }) {
      await identify(provider, token);
    },

    async receive(kindName, token, request, requestId) {
      const { environmentId, providerId, find } = await identify(kindName, token);
      const text = request.body.toString('latin1');
      if (hasMoreValues(text, maxValues))
        throw new Problem('payload_too_large', `The callback has more than ${maxValues} values.`);
      if (hasMoreNames(text, maxNames))
        throw new Problem(
          'payload_too_large',
          `The callback has an object with more than ${maxNames} names.`,
        );
      const provider = await find(environmentId, providerId);
      const read = provider?.kind.readCallback;
      if (!provider || !read || provider.kind.manifest.kind !== kindName) throw notFound('callback');

      const verdict = await read(request, provider.config, { clock, outbound });
      if (verdict.kind === 'refused') {
        metrics.callbacks.inc({ provider_kind: kindName, outcome: 'refused' });
        const { status, reason } = verdict;
        log.warn(
          {
            request_id: requestId,
            environment_id: environmentId,
            provider_id: providerId,
            provider: kindName,
            reason,
          },
          'callback rejected',
        );
        throw refusal(status);
      }
      const { reports, nonce } = verdict;
      if (reports.length > 0) {
        const result = await deps.reportWriter.record({
          environmentId,
          providerId,
          channel: provider.kind.manifest.channel,
          reports,
          ...(nonce === undefined ? {} : { nonce }),
        });
        for (const outcome of ['applied', 'duplicate', 'unknown'] as const)
          metrics.callbacks.inc({ provider_kind: kindName, outcome }, result[outcome]);
      }
      return verdict.answer ?? null;
    },
  };
}

/** The reason is only in the log: an unverified caller gets no hint for another try. */
function refusal(status: 400 | 401 | 403): Problem {
  switch (status) {
    case 400:
      return new Problem('parameter_invalid', 'The callback cannot be parsed.');
    case 401:
      return new Problem('invalid_credentials', 'The callback could not be verified.');
    case 403:
      return new Problem('callback_refused', 'The settings do not allow this callback.');
  }
}
