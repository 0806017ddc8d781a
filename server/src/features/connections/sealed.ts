import type { ProviderConfig } from '../../channels/contract.ts';
import { emailProviders, smsProviders } from '../../channels/registry.ts';
import { type SealAgain, type SealedColumn, sealedText } from '../../db/reseal.ts';
import { refreshContext, tokenContext } from './chatone/tokens.ts';
import { endpointContext } from './endpoints/targets.ts';
import { resealConfig, type StoredProvider } from './provider-config.ts';
import type { SmsKind } from './sms/schema.ts';

const email: SealedColumn = {
  table: 'email_settings',
  key: 'environment_id',
  column: 'providers',
  type: 'jsonb',
  reseal: (providers: StoredProvider[], { environment_id = '' }, again) =>
    providers.map((provider) => {
      const kind = emailProviders[provider.kind];
      return kind ? { ...provider, config: resealConfig(again, environment_id, kind, provider) } : provider;
    }),
};

const sms: SealedColumn = {
  table: 'sms_settings',
  key: 'environment_id',
  also: ['id', 'kind'],
  column: 'config',
  type: 'jsonb',
  reseal: (config: ProviderConfig, { environment_id = '', id = '', kind }, again: SealAgain) =>
    kind === 'managed'
      ? config
      : resealConfig(again, environment_id, smsProviders[kind as Exclude<SmsKind, 'managed'>], {
          id,
          config,
        }),
};

const installations = { table: 'chatone_installations', key: 'id' };
const chats = [
  sealedText({ table: 'chat_endpoints', key: 'id', column: 'url_sealed' }, ({ id = '' }) =>
    endpointContext(id),
  ),
  sealedText({ ...installations, column: 'token_sealed' }, ({ id = '' }) => tokenContext(id)),
  sealedText({ ...installations, column: 'refresh_sealed' }, ({ id = '' }) => refreshContext(id)),
];

export const connectionSealedColumns = [email, sms, ...chats];
