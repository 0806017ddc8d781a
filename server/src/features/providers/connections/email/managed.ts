import type { Config, ManagedSender } from '../../../../config.ts';
import type { EmailSettings } from './store.ts';

/** The operator's email server with its sender: environments cannot choose the From address of its email. */
export interface ManagedRelay {
  url: string;
  from: ManagedSender;
}

/** The relay of a Live environment without an enabled provider of its own; null when none applies. */
export function managedRelay(
  { CARILLON_SMTP_URL: url, CARILLON_MANAGED_FROM: from }: Config,
  environmentKind: 'test' | 'live',
  { providers }: Pick<EmailSettings, 'providers'>,
): ManagedRelay | null {
  if (environmentKind === 'test' || url === null || from === null) return null;
  return providers.some(({ enabled }) => enabled) ? null : { url, from };
}
