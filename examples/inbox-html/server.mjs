// A site with an inbox, without any library: node examples/inbox-html/server.mjs
// It needs the key of a Test environment in CARILLON_API_KEY; CARILLON_URL and PORT may be set too.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const carillon = process.env.CARILLON_URL ?? 'http://127.0.0.1:8400';
const key = process.env.CARILLON_API_KEY ?? process.env.CARILLON_KEY; // its older name
if (!key) throw new Error('Set CARILLON_API_KEY to an API key of your Test environment.');

/** In a real site this is whoever is signed in: the session decides, never the request. */
const userOf = (_request) => 'demo-user';

async function call(path, body) {
  const response = await fetch(carillon + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

const routes = {
  'GET /': () => ({
    html: readFileSync(new URL('index.html', import.meta.url), 'utf8').replaceAll('{{carillon}}', carillon),
  }),
  // Browsers accept service workers of the site itself only, so this one loads that of Carillon.
  'GET /carillon-push.js': () => ({ script: `importScripts('${carillon}/widgets/push-worker.js');` }),
  // The key stays here; the browser gets a token that stands for one user, for a quarter of an hour.
  'GET /token': async (user) => ({
    json: { token: (await call('/v1/inbox/tokens', { external_user_id: user })).token },
  }),
  'POST /send': async (user) => ({
    json: await call('/v1/notifications', {
      channel: 'in_app',
      recipient: { external_user_id: user },
      subject: 'Hello from your own server',
      html_body: `<p>Sent at <strong>${new Date().toLocaleTimeString('en')}</strong>.</p>`,
      action_url: '#opened',
      tags: ['greetings'],
      actions: [{ key: 'thanks', label: 'Say thanks', style: 'primary' }],
    }),
  }),
};

const server = createServer(async (request, response) => {
  const answer = routes[`${request.method} ${request.url}`];
  try {
    const { html, script, json } = answer ? await answer(userOf(request)) : {};
    const type = html ? 'text/html; charset=utf-8' : script ? 'text/javascript' : 'application/json';
    response.writeHead(answer ? 200 : 404, { 'content-type': type });
    response.end(html ?? script ?? JSON.stringify(json ?? {}));
  } catch (error) {
    console.error(error);
    response.writeHead(502).end();
  }
});
server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () =>
  console.log(`open http://127.0.0.1:${server.address().port}`),
);
