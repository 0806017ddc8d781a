import type { Layout } from '@carillon/sdk';

export type LayoutChannel = Layout['channel'];

export const layoutChannels: readonly LayoutChannel[] = ['email', 'in_app', 'sms', 'chatthree', 'webhook'];
export const hasHtml = (channel: LayoutChannel): boolean =>
  channel === 'email' || channel === 'in_app' || channel === 'webhook';
