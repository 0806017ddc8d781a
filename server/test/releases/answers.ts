import type { Answer, Caller, EnvironmentKind } from './installation.ts';

/** Answers of a service by what was asked: `test GET /v1/me`. */
export type Answers = Record<string, Answer>;

/** Lists that name everything else. Reads with a time window (usage, overview) are left out: they change without a release. */
const lists = [
  '/v1/me',
  '/v1/environments',
  '/v1/api-keys',
  '/v1/users',
  '/v1/suppressions',
  '/v1/preferences/categories',
  '/v1/chatone/installations',
  '/v1/chattwo-endpoints',
  '/v1/chatthree-endpoints',
  '/v1/sandbox/messages?limit=100',
  '/v1/audit-log?limit=100',
];

/** Asks a service for everything that it stores. */
export async function readAnswers(caller: Caller, inboxUser: string): Promise<Answers> {
  const answers: Answers = {};
  for (const environment of ['test', 'live'] as const) {
    const read = async (path: string): Promise<Answer> => {
      const answer = await caller.call(environment, 'GET', path);
      answers[`${environment} ${path}`] = lasting(answer);
      return answer;
    };
    for (const path of lists) await read(path);
    const { environment_id } = await read('/v1/me');
    await read(`/v1/environments/${environment_id}/email-settings`);
    if (environment === 'live') await read(`/v1/environments/${environment_id}/sms-settings`);
    for (const { id } of (await read('/v1/notifications?limit=100')).data)
      for (const part of ['', '/trace', '/content']) await read(`/v1/notifications/${id}${part}`);
    for (const { key } of (await read('/v1/templates')).data) {
      await read(`/v1/templates/${key}`);
      for (const { version } of (await read(`/v1/templates/${key}/versions`)).data)
        await read(`/v1/templates/${key}/versions/${version}`);
    }
    for (const { key } of (await read('/v1/workflows')).data) {
      await read(`/v1/workflows/${key}/versions/1`);
      for (const { id } of (await read(`/v1/workflows/${key}/runs`)).items)
        await read(`/v1/workflows/runs/${id}`);
    }
    for (const { id } of (await read('/v1/webhook-endpoints')).data)
      for (const delivery of (await read(`/v1/webhook-endpoints/${id}/deliveries?limit=100`)).data)
        await read(`/v1/webhook-endpoints/${id}/deliveries/${delivery.id}/attempts`);
  }
  for (const id of [inboxUser, 'grace']) {
    const path = `/v1/preferences/users/${id}`;
    answers[path] = await caller.call('test', 'GET', path);
  }
  answers.quietHours = await caller.call('test', 'GET', `/v1/preferences/users/${inboxUser}/quiet-hours`);
  answers.inbox = await readInbox(caller, 'test', inboxUser);
  return answers;
}

export async function readInbox(
  { call, send }: Caller,
  environment: EnvironmentKind,
  externalUserId: string,
): Promise<Answer> {
  const { token } = await call(environment, 'POST', '/v1/inbox/tokens', { external_user_id: externalUserId });
  return (await send('GET', '/inbox/v1/feed', { authorization: `Bearer ${token}` })).json();
}

/** Without what every call changes. */
function lasting(answer: Answer): Answer {
  return JSON.parse(JSON.stringify(answer, (name, value) => (name === 'last_used_at' ? undefined : value)));
}
