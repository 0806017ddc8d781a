import type { Principal } from '../../../http/principal.ts';
import { type Route, route } from '../../../http/route.ts';
import { EnvironmentParams } from '../../../http/schema.ts';
import { notFound } from '../../../kernel/errors.ts';
import { EmailSettingsBody, EmailSettingsView, ProviderParams, VerifyView } from './schema.ts';
import type { EmailSettingsService } from './service.ts';

export function emailRoutes({ emailSettings }: { emailSettings: EmailSettingsService }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/environments/:envId/email-settings',
      operation: 'getEmailSettings',
      tag: 'Email settings',
      summary: 'Read the email settings of an environment',
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
        'The sender identity and the chain of providers. Whatever is left out goes back to its default, except the secrets of providers named by their id: these are write-only and stay as they are unless given anew. In a Test environment the providers are stored and can be verified, but sends end in the sandbox.',
      access: 'channels:write',
      params: EnvironmentParams,
      body: EmailSettingsBody,
      responses: { 200: EmailSettingsView },
      async handler({ principal, params, body, requestId }) {
        checkEnvironment(principal, params.envId);
        return { status: 200, body: await emailSettings.replace(principal, body, requestId) };
      },
    }),
    route({
      method: 'PATCH',
      path: '/v1/environments/:envId/email-settings',
      operation: 'updateEmailSettings',
      tag: 'Email settings',
      summary: 'Change some of the email settings of an environment',
      description:
        'What is left out, or null, stays as it is; the empty text clears an address or a name. `providers` is one setting: when it is given, the whole chain is replaced by it, and a provider that is not in it is removed. An element with the `id` of a provider keeps its name and the secrets that are not given.',
      access: 'channels:write',
      params: EnvironmentParams,
      body: EmailSettingsBody,
      responses: { 200: EmailSettingsView },
      async handler({ principal, params, body, requestId }) {
        checkEnvironment(principal, params.envId);
        return { status: 200, body: await emailSettings.update(principal, body, requestId) };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/environments/:envId/email-settings/providers/:id/verify',
      operation: 'verifyEmailProvider',
      tag: 'Email settings',
      summary: 'Check that an email provider can be used',
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

function checkEnvironment(principal: Principal, environmentId: string): void {
  if (environmentId.toLowerCase() !== principal.environmentId) throw notFound('environment');
}
