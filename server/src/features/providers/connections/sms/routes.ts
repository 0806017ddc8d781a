import { checkEnvironment } from '../../../../http/principal.ts';
import { type Route, route } from '../../../../http/route.ts';
import { EnvironmentParams } from '../../../../http/schema.ts';
import { ProviderParams, VerifyView } from '../chain/schema.ts';
import { SmsProvidersBody, SmsProvidersView, SmsSettingsBody, SmsSettingsView } from './schema.ts';
import type { SmsSettingsService } from './service.ts';

const path = '/v1/environments/:envId/sms-settings';
const tag = 'SMS settings';

export function smsRoutes({ smsSettings }: { smsSettings: SmsSettingsService }): Route[] {
  return [
    route({
      method: 'GET',
      path,
      operation: 'getSmsSettings',
      tag,
      summary: 'Get the SMS settings of an environment',
      description: 'With a chain of several providers, these are the settings of the first one.',
      access: 'channels:read',
      params: EnvironmentParams,
      responses: { 200: SmsSettingsView },
      async handler({ principal, params }) {
        checkEnvironment(principal, params.envId);
        return { status: 200, body: await smsSettings.read(principal) };
      },
    }),
    route({
      method: 'PUT',
      path,
      operation: 'replaceSmsSettings',
      tag,
      summary: 'Create or replace the SMS settings of an environment',
      description:
        'Sets a single provider; `PUT …/sms-settings/providers` sets several. Twilio (`smsone`) requires an account SID, an auth token and a sender; Vonage (`smstwo`) an API key, an API secret and a sender; `managed` nothing. Credentials are checked with the provider (5 seconds at most) and saved in any case: `credentials_validated` shows the result. They are write-only. Omitted credentials stay unchanged while kind and account are the same; null clears an optional one. In a Test environment the settings are stored and checked, but sends end in the sandbox.',
      access: 'channels:write',
      params: EnvironmentParams,
      body: SmsSettingsBody,
      responses: { 200: SmsSettingsView },
      async handler({ principal, params, body, requestId }) {
        checkEnvironment(principal, params.envId);
        return { status: 200, body: await smsSettings.replace({ principal, requestId }, body) };
      },
    }),
    route({
      method: 'DELETE',
      path,
      operation: 'deleteSmsSettings',
      tag,
      summary: 'Delete the SMS settings of an environment',
      description:
        'Sends are refused with `provider_not_configured` from then on; queued ones wait for new settings, and are retried as in an outage.',
      access: 'channels:write',
      params: EnvironmentParams,
      responses: { 204: null },
      async handler({ principal, params, requestId }) {
        checkEnvironment(principal, params.envId);
        await smsSettings.remove({ principal, requestId });
        return { status: 204 };
      },
    }),
    route({
      method: 'GET',
      path: `${path}/providers`,
      operation: 'getSmsProviders',
      tag,
      summary: 'Get the chain of SMS providers of an environment',
      description: 'The list is empty while the environment has no SMS settings.',
      access: 'channels:read',
      params: EnvironmentParams,
      responses: { 200: SmsProvidersView },
      async handler({ principal, params }) {
        checkEnvironment(principal, params.envId);
        return { status: 200, body: await smsSettings.readChain(principal) };
      },
    }),
    route({
      method: 'PUT',
      path: `${path}/providers`,
      operation: 'replaceSmsProviders',
      tag,
      summary: 'Replace the chain of SMS providers of an environment',
      description:
        'Providers are tried in the order of the list, each with its own sender. Providers that are not in the list are removed; an empty list deletes the SMS settings. An element with the `id` of a provider keeps its name and the omitted secrets. Credentials are saved without a check: verify a provider to check them. In a Test environment the providers are stored and can be verified, but sends end in the sandbox.',
      access: 'channels:write',
      params: EnvironmentParams,
      body: SmsProvidersBody,
      responses: { 200: SmsProvidersView },
      async handler({ principal, params, body, requestId }) {
        checkEnvironment(principal, params.envId);
        return { status: 200, body: await smsSettings.replaceChain({ principal, requestId }, body) };
      },
    }),
    route({
      method: 'POST',
      path: `${path}/providers/:id/verify`,
      operation: 'verifySmsProvider',
      tag,
      summary: 'Verify an SMS provider',
      description:
        'Checks the credentials with the provider within 5 seconds, and stores the result; nothing is sent.',
      access: 'channels:write',
      params: ProviderParams,
      responses: { 200: VerifyView },
      async handler({ principal, params }) {
        checkEnvironment(principal, params.envId);
        return { status: 200, body: await smsSettings.verify(principal, params.id) };
      },
    }),
  ];
}
