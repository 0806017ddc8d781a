// A site with an inbox in React: node examples/inbox-react/server.mjs
// It needs the key of a Test environment in CARILLON_API_KEY; CARILLON_URL and PORT may be set too.
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const carillon = process.env.CARILLON_URL ?? 'http://127.0.0.1:8400';
const key = process.env.CARILLON_API_KEY ?? process.env.CARILLON_KEY; // its older name
if (!key) throw new Error('Set CARILLON_API_KEY to an API key of your Test environment.');

const { outputFiles } = await build({
  entryPoints: [fileURLToPath(new URL('main.tsx', import.meta.url))],
  bundle: true,
  write: false,
  format: 'esm',
  jsx: 'automatic',
  conditions: ['carillon-source'], // in this repository; elsewhere the package comes built
  define: { carillonUrl: JSON.stringify(carillon), 'process.env.NODE_ENV': '"production"' },
});
const script = outputFiles[0].text;
const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>An inbox in React</title>
    <link rel="icon" href="data:,">
    <style>
      :root { color-scheme: light dark; font-family: system-ui, sans-serif; }
      body { max-width: 46rem; margin: 0 auto; padding: 1rem; }
      header { display: flex; align-items: center; justify-content: space-between; }
    </style>
  </head>
  <body><div id="root"></div><script type="module" src="/main.js"></script></body>
</html>`;

/** In a real site this is whoever is signed in: the session decides, never the request. */
const userOf = (_request) => 'demo-user';

async function call(path, body) {
  const response = await fetch(carillon + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  return response.text();
}

const routes = {
  'GET /': () => ['text/html; charset=utf-8', page],
  'GET /main.js': () => ['text/javascript; charset=utf-8', script],
  'GET /token': async (user) => [
    'application/json',
    await call('/v1/inbox/tokens', { external_user_id: user }),
  ],
  'POST /send': async (user) => [
    'application/json',
    await call('/v1/notifications', {
      channel: 'in_app',
      recipient: { external_user_id: user },
      subject: 'Hello from your own server',
      html_body: '<p>Click it: the page decides what happens.</p>',
      action_url: '/orders/7',
      tags: ['greetings'],
      actions: [{ key: 'thanks', label: 'Say thanks', style: 'primary' }],
    }),
  ],
};

const server = createServer(async (request, response) => {
  const answer = routes[`${request.method} ${request.url}`];
  try {
    const [type, body] = answer ? await answer(userOf(request)) : ['text/plain', 'Not here.'];
    response.writeHead(answer ? 200 : 404, { 'content-type': type });
    response.end(body);
  } catch (error) {
    console.error(error);
    response.writeHead(502).end();
  }
});
server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () =>
  console.log(`open http://127.0.0.1:${server.address().port}`),
);
