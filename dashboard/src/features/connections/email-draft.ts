import type { GetEmailSettingsResult, ReplaceEmailSettingsParams } from '@carillon/sdk';
import { type DraftProvider, providerBody, providerDraft } from './chain-draft.ts';

type EmailKind = GetEmailSettingsResult['providers'][number]['kind'];

/** The edited settings. The service replaces them as a whole, so they are one draft. */
export interface EmailDraft {
  from_address: string;
  from_name: string;
  reply_to: string;
  sender_locked: boolean;
  track_opens: boolean;
  track_clicks: boolean;
  providers: DraftProvider[];
}

export function draftOf(saved: GetEmailSettingsResult): EmailDraft {
  return {
    from_address: saved.from_address ?? '',
    from_name: saved.from_name ?? '',
    reply_to: saved.reply_to ?? '',
    // The lock of the operator is not a setting of this environment: a saved copy would outlive the operator's server.
    sender_locked: saved.managed_from === null && saved.sender_locked,
    track_opens: saved.track_opens,
    track_clicks: saved.track_clicks,
    providers: saved.providers.map((provider) => providerDraft('email', provider)),
  };
}

export function bodyOf(draft: EmailDraft): ReplaceEmailSettingsParams {
  return {
    from_address: draft.from_address.trim() || null,
    from_name: draft.from_name.trim() || null,
    reply_to: draft.reply_to.trim() || null,
    ...(draft.sender_locked ? { sender_locked: true } : {}),
    track_opens: draft.track_opens,
    track_clicks: draft.track_clicks,
    providers: draft.providers.map((provider) => providerBody<EmailKind>(provider)),
  };
}

/** The operator's sender, when emails of this draft go through the operator's server. */
export function managedFromOf(draft: EmailDraft, saved: GetEmailSettingsResult): string | null {
  return draft.providers.some(({ enabled }) => enabled) ? null : saved.managed_from;
}
