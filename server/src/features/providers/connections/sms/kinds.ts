import type { ProviderKind } from '../../../../channels/provider.ts';
import { smsProviders } from '../../../../channels/registry.ts';

/** The operator's provider as an element of a chain: it has no settings. */
const managed: ProviderKind = {
  manifest: { kind: 'managed', channel: 'sms', title: 'Managed', fields: [] },
  create() {
    throw new Error('the kind of a managed provider is in the settings of the operator');
  },
};

export const smsKinds: Readonly<Record<string, ProviderKind>> = { managed, ...smsProviders };
