import { type Client, type GetEmailSettingsResult, NotFoundError, PermissionError } from '@carillon/sdk';
import { titleOf } from '../channels.ts';
import { collect } from '../collect.ts';
import { plain } from '../style.ts';
import { type Check, checkOf, type Verdict } from './check.ts';

interface Connections {
  checks: Check[];
  /** Null when they may not be read. */
  email: GetEmailSettingsResult | null;
}

/** Every connection of the environment, the email providers by asking them now. */
export async function checkConnections(
  client: Client,
  environmentId: string,
  live: boolean,
): Promise<Connections> {
  const email = await allowed(() => client.emailSettings.get(environmentId));
  const checks = [
    ...(email
      ? await emailChecks(client, environmentId, email, live)
      : [unreadable('email', 'channels:read')]),
    ...(await smsChecks(client, environmentId, live)),
    ...(await pushChecks(client, environmentId)),
    ...(await listed(
      'chatone',
      () => collect(client.chatone.list({ limit: 100 })),
      ({ team_name }) => team_name,
    )),
    ...(await listed(
      'chattwo',
      () => collect(client.chattwo.list()),
      ({ key }) => key,
    )),
    ...(await listed(
      'chatthree',
      () => collect(client.chatthree.list()),
      ({ key }) => key,
    )),
    ...(await webhookChecks(client)),
  ];
  return { checks, email };
}

async function emailChecks(
  client: Client,
  environmentId: string,
  { providers, from_address }: GetEmailSettingsResult,
  live: boolean,
): Promise<Check[]> {
  const enabled = providers.filter((each) => each.enabled);
  const checks: Check[] = [];
  const check = (name: string, verdict: Verdict) => checks.push(checkOf('connections', name, verdict));
  if (enabled.length === 0)
    check(
      'email',
      live
        ? {
            status: 'warn',
            detail: 'no provider configured',
            advice: 'PATCH /v1/environments/{envId}/email-settings adds one.',
          }
        : { status: 'ok', detail: 'sandbox; no provider configured' },
    );
  if (enabled.length > 0 && !from_address)
    check('email sender', {
      status: 'warn',
      detail: 'no from_address',
      advice: 'Set from_address in the email settings.',
    });
  return [
    ...checks,
    ...(await providerChecks('email', enabled, (id) =>
      client.emailSettings.verifyProvider(environmentId, id),
    )),
  ];
}

interface Provider {
  id: string;
  name: string;
  kind: string;
  health: { status: string };
}

/** Verifies each provider of a chain. */
async function providerChecks(
  channel: string,
  providers: readonly Provider[],
  verify: (id: string) => Promise<{ ok: boolean; detail: string }>,
): Promise<Check[]> {
  const checks: Check[] = [];
  const check = (name: string, verdict: Verdict) => checks.push(checkOf('connections', name, verdict));
  for (const { id, name, kind, health } of providers) {
    const label = `${channel} ${name === kind ? titleOf(kind) : name}`;
    const result = await allowed(() => verify(id));
    if (!result) check(label, unreadable(label, 'channels:write'));
    else if (!result.ok)
      check(label, {
        status: 'fail',
        detail: plain(result.detail),
        advice: `Check the credentials of ${titleOf(kind)}.`,
      });
    else if (health.status !== 'healthy')
      check(label, { status: 'warn', detail: `credentials valid, but recently ${health.status}` });
    else check(label, { status: 'ok', detail: plain(result.detail) });
  }
  return checks;
}

async function smsChecks(client: Client, environmentId: string, live: boolean): Promise<Check[]> {
  const chain = await allowed(() => client.smsSettings.getProviders(environmentId));
  if (!chain) return [unreadable('sms', 'channels:read')];
  const enabled = chain.providers.filter((each) => each.enabled);
  if (enabled.length === 0)
    return live
      ? []
      : [checkOf('connections', 'sms', { status: 'ok', detail: 'sandbox; no account configured' })];
  return providerChecks('sms', enabled, (id) => client.smsSettings.verifyProvider(environmentId, id));
}

/** Push services by their last check, which every save and every test repeats. */
async function pushChecks(client: Client, environmentId: string): Promise<Check[]> {
  try {
    const settings = await allowed(() => client.pushSettings.get(environmentId));
    if (!settings) return [unreadable('push', 'channels:read')];
    return (['web_push', 'apns', 'fcm'] as const).flatMap((kind) => {
      const service = settings[kind];
      if (!service) return [];
      const isRefused = service.check?.ok === false;
      return checkOf('connections', `push ${kind}`, {
        status: isRefused ? 'fail' : 'ok',
        detail: plain(service.check?.detail ?? 'not checked yet'),
        advice: isRefused ? `Update the key of ${kind}.` : null,
      });
    });
  } catch (error) {
    if (error instanceof NotFoundError) return [];
    throw error;
  }
}

interface Connection {
  status: 'active' | 'broken' | 'gone';
  last_failure_reason: string | null;
}

async function listed<Item extends Connection>(
  channel: string,
  list: () => Promise<Item[]>,
  nameOf: (item: Item) => string,
): Promise<Check[]> {
  const items = await allowed(list);
  if (!items) return [unreadable(titleOf(channel), 'channels:read')];
  return items.map((item) =>
    checkOf('connections', `${titleOf(channel)} ${plain(nameOf(item), 40)}`, {
      status: item.status === 'active' ? 'ok' : 'fail',
      detail: item.status === 'active' ? 'active' : `${item.status}: ${plain(item.last_failure_reason)}`,
      advice: item.status === 'active' ? null : 'Update its credentials or URL.',
    }),
  );
}

async function webhookChecks(client: Client): Promise<Check[]> {
  const endpoints = await allowed(() => collect(client.webhookEndpoints.list({ limit: 100 })));
  if (!endpoints) return [unreadable('webhooks', 'webhooks:read')];
  return endpoints.map(({ url, status, failing_since, disabled_reason }) => {
    const bad = status === 'auto_disabled';
    return checkOf('connections', `webhook ${plain(url, 60)}`, {
      status: bad ? 'fail' : failing_since ? 'warn' : 'ok',
      detail: bad
        ? `disabled: ${disabled_reason}`
        : failing_since
          ? `failing since ${failing_since}`
          : status,
      advice: bad ? 'Fix the endpoint, then PUT {"status": "active"} and POST …/recover.' : null,
    });
  });
}

/** Null when the key lacks the scope. */
async function allowed<Value>(ask: () => Promise<Value>): Promise<Value | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof PermissionError) return null;
    throw error;
  }
}

const unreadable = (name: string, scope: string): Check =>
  checkOf('connections', name, { status: 'skip', detail: `this key lacks the scope ${scope}` });
