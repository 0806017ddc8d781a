import type { TestApp } from '../../server/test/harness/app.ts';

export interface NewPerson {
  email: string;
  password: string;
}

/** Signs in and returns what a request of that person carries. */
export async function sessionOf(
  app: TestApp,
  { email, password }: NewPerson = { email: app.adminEmail, password: app.adminPassword },
): Promise<Record<string, string>> {
  const { status, headers } = await app.request('POST', '/auth/login', {
    key: null,
    body: { email, password },
  });
  if (status !== 204) throw new Error(`cannot sign in: ${status}`);
  const cookie = headers.getSetCookie().map((each) => each.split(';')[0]);
  return { cookie: cookie.join('; '), 'x-carillon-csrf': '1' };
}

/** The organization that the service began with. */
export async function organizationOf(app: TestApp): Promise<{ id: string; name: string }> {
  const { body } = await app.request('GET', '/auth/me', { key: null, headers: await sessionOf(app) });
  return body.organizations[0];
}

/** Somebody with that role, who has accepted already. */
export async function addPerson(
  app: TestApp,
  { email, name, role }: { email: string; name: string; role: string },
): Promise<NewPerson & { userId: string }> {
  const password = 'a pass phrase for tests';
  const { id } = await organizationOf(app);
  const invited = await app.request('POST', `/auth/organizations/${id}/invitations`, {
    key: null,
    headers: await sessionOf(app),
    body: { email, role },
  });
  const token = String(invited.body.accept_url).split('#')[1];
  const accepted = await app.request('POST', '/auth/invitations/accept', {
    key: null,
    body: { token, name, password },
  });
  if (accepted.status !== 200) throw new Error(`cannot accept: ${JSON.stringify(accepted.body)}`);
  return { email, password, userId: accepted.body.user_id };
}
