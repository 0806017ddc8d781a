import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Whatever the service calls: a push service, the API of a provider. It takes everything and answers as it is told. */
export interface Gateway {
  url: string;
  answers(status: number, body: string): void;
  stop(): Promise<void>;
}

export async function startGateway(): Promise<Gateway> {
  let [status, body] = [201, ''];
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answers(nextStatus, nextBody) {
      [status, body] = [nextStatus, nextBody];
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
