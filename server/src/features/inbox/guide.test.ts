import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startTestApp, waitUntil } from '../../../test/harness/app.ts';

const guide = readFileSync(new URL('../../../../docs/guides/inbox.md', import.meta.url), 'utf8');
const snippets = [...guide.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code = '']) => code);
const load = (code: string) => import(`data:text/javascript,${encodeURIComponent(code)}`);

test('the code of the guide makes a token that works, and follows a stream over a break', async () => {
  const { inboxToken } = await load(snippets[0] ?? '');
  const { follow } = await load(snippets[1] ?? '');
  const app = await startTestApp();
  const path = `/v1/environments/${app.testEnvironmentId}/inbox-key/rotate`;
  const { signing_key: signingKey } = (await app.request('POST', path)).body;
  const token = (): string => inboxToken(app.testEnvironmentId, 'ada', signingKey);
  expect((await app.request('GET', '/inbox/v1/feed', { key: token() })).status).toBe(200);

  const arrived: string[] = [];
  let events = 0;
  const abort = new AbortController();
  const onEvent = (type: string, data: { id: string }): void => {
    events += 1;
    if (type === 'notification.arrived') arrived.push(data.id);
  };
  const send = async (): Promise<string> => {
    const body = { channel: 'in_app', recipient: { external_user_id: 'ada' }, html_body: '<p>x</p>' };
    return (await app.request('POST', '/v1/notifications', { body })).body.id;
  };
  const seen = (count: number) =>
    waitUntil(async () => (arrived.length === count ? true : new Error(`${arrived.length} arrived`)));

  // Through a link that can be cut.
  const link = await startLink(app.url);
  const following = follow(link.url, token, onEvent, abort.signal);
  await waitUntil(async () => (events > 0 ? true : new Error('not open yet')));
  const first = await send();
  await seen(1);
  link.cut();
  const second = await send();
  await seen(2);
  expect(arrived).toEqual([first, second]);
  abort.abort();
  await following;
  await link.stop();
  await app.stop();
});

async function startLink(target: string) {
  const { connect, createServer } = await import('node:net');
  const { hostname, port } = new URL(target);
  const sockets = new Set<import('node:net').Socket>();
  const server = createServer((socket) => {
    const other = connect({ host: hostname, port: Number(port) });
    for (const each of [socket, other]) {
      sockets.add(each);
      each.on('error', () => {});
      each.on('close', () => {
        sockets.delete(each);
        socket.destroy();
        other.destroy();
      });
    }
    socket.pipe(other);
    other.pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
