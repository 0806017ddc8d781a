import { createBudget } from '../../templating/budget.ts';
import { compile } from '../../templating/compile.ts';
import type { ApiAnswer, ApiContext, ProviderApi } from '../api.ts';
import type { Message, Outcome, ProviderCarrier, ProviderConfig, VerificationResult } from '../contract.ts';
import { outcomeOfCode, outcomeOfStatus } from '../outcomes.ts';
import { isPresentAt, textAt } from './pointer.ts';
import { maxHeader, requestFor, safeHeaders, type Variables } from './request.ts';
import { errorClassOf, mapOf, statusRanges, textOf } from './settings.ts';

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

function isSuccessStatus(config: ProviderConfig, status: number): boolean {
  const ranges = statusRanges(textOf(config, 'success_statuses') ?? '200-299') ?? [];
  return ranges.some(([from, to]) => status >= from && status <= to);
}

/** Reads an answer by the rules of the settings; where they say nothing, the status has its usual meaning. */
export function classify(config: ProviderConfig, answer: ApiAnswer): Outcome {
  const { status, parsed, retryAfterMs } = answer;
  const at = (field: string): string | null => textAt(parsed, textOf(config, field));
  const code = at('error_code_pointer');
  const reading = { detail: detailOf(config, answer), code: code ?? String(status), retryAfterMs };
  if (isSuccessStatus(config, status)) {
    const pointer = textOf(config, 'success_pointer');
    const wanted = textOf(config, 'success_value');
    const found = textAt(parsed, pointer);
    const isMarked = pointer === null || (wanted === null ? isPresentAt(parsed, pointer) : found === wanted);
    const id = at('message_id_pointer');
    if (isMarked && (id !== null || !config.message_id_pointer))
      return {
        kind: 'accepted',
        providerMessageId: id,
        detail: `${status} ${id ?? ''}`,
        code: String(status),
      };
    // Without what a success has, a code or another value is a refusal. Anything else may be the page of a proxy.
    if (code !== null || (found !== null && !isMarked))
      return outcomeOfCode(errorClassOf(config, status, code) ?? 'rejected', reading);
    return {
      kind: 'ambiguous',
      detail: `${reading.detail} The response is not what a success looks like.`,
      code: reading.code,
    };
  }
  const meaning = errorClassOf(config, status, code);
  return meaning ? outcomeOfCode(meaning, reading) : outcomeOfStatus(status, { ...reading, code });
}

/** Only the text at the pointer is repeated: the URL may lead anywhere, and must not reveal what is there. */
function detailOf(config: ProviderConfig, { status, parsed }: ApiAnswer): string {
  const message = textAt(parsed, textOf(config, 'error_message_pointer'));
  return message === null ? `The service returned ${status}.` : `${status} ${message}`;
}
