import { emailProviders, type ProviderKind, smsProviders } from '../../../channels/registry.ts';
import { type SealedColumn, sealedText } from '../../../db/reseal.ts';
import { refreshContext, tokenContext } from './chatone/tokens.ts';
import { endpointContext } from './endpoints/targets.ts';
import { resealConfig, type StoredProvider } from './provider-config.ts';
import { pushSealedColumns } from './push/store.ts';

const chainIn = (table: string, kinds: Readonly<Record<string, ProviderKind>>): SealedColumn => ({
  table,
  key: 'environment_id',
  column: 'providers',
  type: 'jsonb',
  reseal: (providers: StoredProvider[], { environment_id = '' }, again) =>
    providers.map((provider) => {
      const kind = kinds[provider.kind];
      return kind ? { ...provider, config: resealConfig(again, environment_id, kind, provider) } : provider;
    }),
});

const installations = { table: 'chatone_installations', key: 'id' };
const chats = [
  sealedText({ table: 'chat_endpoints', key: 'id', column: 'url_sealed' }, ({ id = '' }) =>
    endpointContext(id),
  ),
  sealedText({ ...installations, column: 'token_sealed' }, ({ id = '' }) => tokenContext(id)),
  sealedText({ ...installations, column: 'refresh_sealed' }, ({ id = '' }) => refreshContext(id)),
];

export const connectionSealedColumns = [
  chainIn('email_settings', emailProviders),
  chainIn('sms_settings', smsProviders),
  ...chats,
  ...pushSealedColumns,
];
