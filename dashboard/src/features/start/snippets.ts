import { shellQuote } from '../../api/curl.ts';
import { start as text } from '../../strings/start.ts';

interface SendExample {
  /** The URL of the service. */
  origin: string;
  key: string;
  address: string;
}

export function firstMessage(address: string) {
  return {
    channel: 'email' as const,
    recipient: { address },
    subject: text.subject,
    text_body: text.body,
  };
}

export function curlExample({ origin, key, address }: SendExample): string {
  const body = JSON.stringify(firstMessage(address), null, 2).replaceAll('\n', '\n  ');
  return [
    `curl ${origin}/v1/notifications \\`,
    `  -H ${shellQuote(`Authorization: Bearer ${key}`)} \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d ${shellQuote(body)}`,
  ].join('\n');
}

export const sdkInstall = 'npm install @carillon/sdk';

export function sdkExample({ origin, key, address }: SendExample): string {
  const quote = (value: string) => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  return `import { createClient } from '@carillon/sdk';

const client = createClient({
  base_url: ${quote(origin)},
  api_key: ${quote(key)},
});

const { id } = await client.notifications.send({
  channel: 'email',
  recipient: { address: ${quote(address)} },
  subject: ${quote(text.subject)},
  text_body: ${quote(text.body)},
});
console.log(id);`;
}

export function inboxPage(origin: string): string {
  return `<script type="module" crossorigin src="${origin}/widgets/inbox.js"></script>
<carillon-inbox token-url="/carillon-token"></carillon-inbox>`;
}

export function inboxServer(origin: string): string {
  return `// GET /carillon-token, for the signed-in user of your site
const response = await fetch('${origin}/v1/inbox/tokens', {
  method: 'POST',
  headers: {
    authorization: \`Bearer \${process.env.CARILLON_API_KEY}\`,
    'content-type': 'application/json',
  },
  body: JSON.stringify({ external_user_id: user.id }),
});
const { token } = await response.json();
return { token };`;
}
