import { hashBody } from '../../../http/body-hash.ts';
import type { Keyring } from '../../../kernel/crypto.ts';
import type { BulkActionKind, BulkFilter } from './schema.ts';

/** What a preview has shown, and a confirmation starts. */
interface ConfirmedPreview {
  /** The id of the action: a token that is used twice starts one action. */
  id: string;
  action: BulkActionKind;
  /** A filter itself could make the token longer than the request may be. */
  filterHash: string;
  /** Notifications accepted after the preview have this id or a greater one. */
  before: string;
  total: number | null;
  expiresAtMs: number;
}

const contextOf = (environmentId: string): string => `bulk action of ${environmentId}`;

/** Sealed instead of stored: most previews are never confirmed. */
export function makeConfirmToken(
  keyring: Keyring,
  environmentId: string,
  { filter, ...preview }: Omit<ConfirmedPreview, 'filterHash'> & { filter: BulkFilter },
): string {
  const confirmed: ConfirmedPreview = { ...preview, filterHash: hashBody(filter) };
  return keyring.seal(JSON.stringify(confirmed), contextOf(environmentId));
}

/** Returns null unless the token is for this environment, action and filter. */
export function readConfirmToken(
  keyring: Keyring,
  environmentId: string,
  token: string,
  asked: { action: BulkActionKind; filter: BulkFilter },
): ConfirmedPreview | null {
  try {
    const preview = JSON.parse(keyring.open(token, contextOf(environmentId))) as ConfirmedPreview;
    const isSame = preview.action === asked.action && preview.filterHash === hashBody(asked.filter);
    return isSame ? preview : null;
  } catch {
    return null;
  }
}
