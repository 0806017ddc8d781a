import { once } from 'node:events';
import { createServer } from 'node:http';
import { createClient, verifyWebhook } from '@carillon/sdk';

const [address = 'delivered@sandbox.test'] = process.argv.slice(2);
// CARILLON_KEY is the older name of the variable.
const { CARILLON_URL, CARILLON_KEY, CARILLON_API_KEY = CARILLON_KEY } = process.env;
const client = createClient({ base_url: CARILLON_URL, api_key: CARILLON_API_KEY });

const receiver = createServer();
await once(receiver.listen(0, '127.0.0.1'), 'listening');
const endpoint = await client.webhookEndpoints.create({
  url: `http://127.0.0.1:${receiver.address().port}/`,
  event_filters: ['notification.delivered', 'notification.bounced', 'notification.failed'],
});

try {
  const outcomes = eventsOf(receiver, endpoint.signing_secret);
  const { id } = await client.notifications.send({
    channel: 'email',
    recipient: { address },
    subject: 'Shipped',
    text_body: 'Your order is on its way.',
  });
  console.log(`sent ${id}`);
  for await (const { type, data } of outcomes) {
    if (data.id !== id) continue;
    console.log(`${type} ${data.reason ?? ''}`.trim());
    break;
  }
} finally {
  await client.webhookEndpoints.disable(endpoint.id);
  receiver.close();
  receiver.closeAllConnections();
}

/** The calls that are ours, verified and answered. */
async function* eventsOf(server, secret) {
  for (;;) {
    const [request, response] = await once(server, 'request');
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const event = await verifyWebhook({
      body: Buffer.concat(chunks),
      headers: request.headers,
      secret,
    }).catch(() => null);
    response.writeHead(event ? 204 : 400).end();
    if (event) yield event;
  }
}
