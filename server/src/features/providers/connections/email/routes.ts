import { checkEnvironment } from '../../../../http/principal.ts';
import { type Route, route } from '../../../../http/route.ts';
import { EnvironmentParams } from '../../../../http/schema.ts';
import { ProviderParams, VerifyView } from '../chain/schema.ts';
import { EmailSettingsBody, EmailSettingsView } from './schema.ts';
import type { EmailSettingsService } from './service.ts';

export function emailRoutes({ emailSettings }: { emailSettings: EmailSettingsService }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/environments/:envId/email-settings',
      operation: 'getEmailSettings',
      tag: 'Email settings',
      summary: 'Get the email settings of an environment',
      access: 'channels:read',
      params: EnvironmentParams,
      responses: { 200: EmailSettingsView },
      async handler({ principal, params }) {
        checkEnvironment(principal, params.envId);
        return { status: 200, body: await emailSettings.read(principal) };
      },
    }),
    route({
      method: 'PUT',
      path: '/v1/environments/:envId/email-settings',
      operation: 'replaceEmailSettings',
      tag: 'Email settings',
      summary: 'Replace the email settings of an environment',
      description:
        'Sets the sender identity and the provider chain; an empty body is refused. Omitted settings return to their default, except the secrets of providers with an id: secrets are write-only and stay unchanged unless you enter new ones. In a Test environment the providers are stored and can be verified, but sends end in the sandbox.',
      access: 'channels:write',
      params: EnvironmentParams,
      body: EmailSettingsBody,
      responses: { 200: EmailSettingsView },
      async handler({ principal, params, body, requestId }) {
        checkEnvironment(principal, params.envId);
        return { status: 200, body: await emailSettings.replace({ principal, requestId }, body) };
      },
    }),
    route({
      method: 'PATCH',
      path: '/v1/environments/:envId/email-settings',
      operation: 'updateEmailSettings',
      tag: 'Email settings',
      summary: 'Change some of the email settings of an environment',
      description:
        'Omitted settings stay unchanged; null clears an address or a name. `providers` is one setting: it replaces the whole chain, and providers that are not in it are removed. An element with the `id` of a provider keeps its name and the omitted secrets.',
      access: 'channels:write',
      params: EnvironmentParams,
      body: EmailSettingsBody,
      responses: { 200: EmailSettingsView },
      async handler({ principal, params, body, requestId }) {
        checkEnvironment(principal, params.envId);
        return { status: 200, body: await emailSettings.update({ principal, requestId }, body) };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/environments/:envId/email-settings/providers/:id/verify',
      operation: 'verifyEmailProvider',
      tag: 'Email settings',
      summary: 'Verify an email provider',
      description: 'Connects and authenticates within 5 seconds; nothing is sent.',
      access: 'channels:write',
      params: ProviderParams,
      responses: { 200: VerifyView },
      async handler({ principal, params }) {
        checkEnvironment(principal, params.envId);
        return { status: 200, body: await emailSettings.verify(principal, params.id) };
      },
    }),
  ];
}
