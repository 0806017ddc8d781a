import type { NewWebhookEndpoint, WebhookEndpoint } from '@carillon/sdk';
import { webhooks as text } from '../../strings/webhooks.ts';
import { isKnownType } from './event-types.ts';

/** What the form holds: all as it was typed, so that nothing is lost when the service refuses it. */
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

export type Settings = Required<NewWebhookEndpoint>;
export type FieldErrors = { events?: string; timeout?: string };

/** The draft as the API takes it, or what is wrong with it that the API could not know. */
export function readDraft(draft: Draft): { settings: Settings } | { mistakes: FieldErrors } {
  const event_filters = draft.isEverything
    ? []
    : [...draft.types, ...draft.others.split(/[\s,]+/)].filter(Boolean);
  const timeout_seconds = Number(draft.timeout);
  const mistakes: FieldErrors = {};
  // To the API an empty list means everything, which is not what was asked for.
  if (!draft.isEverything && event_filters.length === 0) mistakes.events = text.form.noneChosen;
  if (!Number.isInteger(timeout_seconds) || timeout_seconds < 1 || timeout_seconds > 30) {
    mistakes.timeout = text.form.timeoutWrong;
  }
  if (Object.keys(mistakes).length > 0) return { mistakes };
  const { url, description } = draft;
  return {
    settings: { url: url.trim(), description, event_filters: [...new Set(event_filters)], timeout_seconds },
  };
}
