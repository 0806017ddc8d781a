import type { Keyring } from '../../kernel/crypto.ts';
import { canonicalJson } from '../../kernel/json.ts';
import type { BulkActionKind, BulkFilter } from './schema.ts';

/** What a preview has shown, and a confirmation starts. */
export interface ConfirmedPreview {
  /** The id of the action: a token that is used twice starts one action. */
  id: string;
  action: BulkActionKind;
  filter: BulkFilter;
  /** Notifications accepted after the preview have this id or a greater one. */
  before: string;
  total: number | null;
  expiresAtMs: number;
}

const contextOf = (environmentId: string): string => `bulk action of ${environmentId}`;

/** Sealed instead of stored: most previews are never confirmed. */
export function makeConfirmToken(keyring: Keyring, environmentId: string, preview: ConfirmedPreview): string {
  return keyring.seal(JSON.stringify(preview), contextOf(environmentId));
}

/** Returns null unless the token is for this environment, action and filter. */
export function readConfirmToken(
  keyring: Keyring,
  environmentId: string,
  token: string,
  asked: Pick<ConfirmedPreview, 'action' | 'filter'>,
): ConfirmedPreview | null {
  try {
    const preview = JSON.parse(keyring.open(token, contextOf(environmentId))) as ConfirmedPreview;
    const isSame =
      preview.action === asked.action && canonicalJson(preview.filter) === canonicalJson(asked.filter);
    return isSame ? preview : null;
  } catch {
    return null;
  }
}
