import { createBudget } from '../../templating/budget.ts';
import { compile } from '../../templating/compile.ts';
import type { ApiContext, ProviderApi } from '../api.ts';
import type { Message, ProviderCarrier, ProviderConfig, VerificationResult } from '../contract.ts';
import { classify, detailOf, isSuccessStatus } from './classify.ts';
import { maxHeader, requestFor, safeHeaders, type Variables } from './request.ts';
import { mapOf, textOf } from './settings.ts';

/** What a channel gives to the templates: the variables, and the files that `attachments` lists. */
export type VariablesOf<Sent extends Message> = (message: Sent) => { variables: Variables; files?: Buffer[] };

/** The kind `http` as the API of a provider: everything about it is in its settings. */
export function httpApi<Sent extends Message>(
  name: string,
  config: ProviderConfig,
  variablesOf: VariablesOf<Sent>,
  { tasks }: ApiContext,
): Omit<ProviderApi<Sent>, 'timeoutMs'> {
  const secret = textOf(config, 'secret');
  const headers = headersWith(config, secret);
  return {
    name,
    kind: 'http',
    account: [String(config.url), secret ?? ''],
    secrets: secretForms(secret, headers),
    idempotent: config.idempotent === true,
    request(message) {
      const { variables, files = [] } = variablesOf(message);
      const { notificationId, environmentId, attempt, to } = message;
      const common = {
        notification_id: notificationId,
        environment_id: environmentId,
        attempt,
        to: to.address,
        to_name: to.name,
        secret: secret ?? '',
      };
      return requestFor(config, { ...common, ...variables }, files, { tasks, owner: environmentId });
    },
    classify: (answer) => classify(config, answer),
    bodyDecides: textOf(config, 'success_pointer') !== null,
    check: {
      request: () => ({ method: 'GET', url: textOf(config, 'check_url') ?? '', headers }),
      judge(answer): VerificationResult {
        const ok = isSuccessStatus(config, answer.status);
        return { ok, detail: ok ? `The service returned ${answer.status}.` : detailOf(config, answer) };
      },
    },
  };
}

/** Without a URL for it there is nothing to call. */
export function withoutCheck(config: ProviderConfig, carrier: ProviderCarrier): ProviderCarrier {
  if (textOf(config, 'check_url') !== null) return carrier;
  const detail = 'The settings are complete. Without a check_url, only a message shows whether they work.';
  return { ...carrier, verify: async () => ({ ok: true, detail }) };
}

/** The headers of a check, which has no message: variables other than the secret are empty. */
function headersWith(config: ProviderConfig, secret: string | null): Record<string, string> {
  const budget = createBudget('light');
  return Object.fromEntries(
    Object.entries(mapOf(config, 'headers')).flatMap(([name, source]): [string, string][] => {
      try {
        const value = compile(source, 'text', { locale: null }).render({ secret }, budget, maxHeader);
        return Object.entries(safeHeaders({ [name]: value }));
      } catch {
        return []; // a header that only a message can fill
      }
    }),
  );
}

/** The secret in every form in which it is sent, so that none of them is shown: Basic credentials are encoded, for one. */
export function secretForms(secret: string | null, headers: Record<string, string>): string[] {
  if (secret === null) return [];
  const sent = Object.values(headers).map((value) => value.split(' ').at(-1) ?? '');
  const inUrl = encodeURIComponent(secret.toWellFormed());
  const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '');
  return [...new Set([secret, inUrl, base64, ...sent.filter((value) => value.length >= 16)])];
}
