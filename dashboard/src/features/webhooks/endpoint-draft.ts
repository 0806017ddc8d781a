import type { NewWebhookEndpoint, WebhookEndpoint } from '@carillon/sdk';
import { webhooks as text } from '../../strings/webhooks.ts';
import { isKnownType } from './event-types.ts';

/** The values of the form as typed: nothing is lost when the server rejects them. */
export interface Draft {
  url: string;
  description: string;
  isEverything: boolean;
  types: string[];
  others: string;
  timeout: string;
}

export function draftOf(endpoint: WebhookEndpoint | null): Draft {
  const filters = endpoint?.event_filters ?? [];
  return {
    url: endpoint?.url ?? '',
    description: endpoint?.description ?? '',
    isEverything: filters.length === 0,
    types: filters.filter(isKnownType),
    others: filters.filter((type) => !isKnownType(type)).join(' '),
    timeout: String(endpoint?.timeout_seconds ?? 10),
  };
}

type Settings = Required<Omit<NewWebhookEndpoint, 'status'>>;

/** The request of a draft, or null with the problems that the server cannot see. */
export function readDraft(draft: Draft): {
  settings: Settings | null;
  problems: { events: string | null; timeout: string | null };
} {
  const event_filters = draft.isEverything
    ? []
    : [...draft.types, ...draft.others.split(/[\s,]+/)].filter(Boolean);
  const timeout_seconds = Number(draft.timeout);
  // An empty list means every event to the server, and no event to the person who cleared it.
  const isNoneChosen = !draft.isEverything && event_filters.length === 0;
  const isTimeoutWrong = !Number.isInteger(timeout_seconds) || timeout_seconds < 1 || timeout_seconds > 30;
  const { url, description } = draft;
  return {
    settings:
      isNoneChosen || isTimeoutWrong
        ? null
        : { url: url.trim(), description, event_filters: [...new Set(event_filters)], timeout_seconds },
    problems: {
      events: isNoneChosen ? text.form.noneChosen : null,
      timeout: isTimeoutWrong ? text.form.timeoutWrong : null,
    },
  };
}
