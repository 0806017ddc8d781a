import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';

export interface Link {
  url: string;
  /** Requests that reached the service. */
  forwarded: number;
  /** Answers that the service gave and nobody got. */
  lost: number;
  /** Breaks every connection there is. */
  cut(): void;
  stop(): Promise<void>;
}

/** What happens to an answer of the service: it is handed on, or lost in one of the ways in which answers are lost. */
export type Fate = 'hand on' | 'hang up' | 'cut short' | '502' | '500';

/** Stands before the service. Every request reaches it; what becomes of the answer is for `fate` to say. */
export async function startLink(target: string, fate: () => Fate): Promise<Link> {
  const agent = new Agent({ keepAlive: true });
  const server = createServer((incoming, outgoing) => {
    link.forwarded += 1;
    const forward = request(
      target + incoming.url,
      { agent, method: incoming.method, headers: incoming.headers },
      (answer) => answerWith(fate(), answer, outgoing),
    );
    forward.on('error', () => outgoing.destroy());
    incoming.pipe(forward);
  });

  function answerWith(what: Fate, answer: IncomingMessage, outgoing: ServerResponse): void {
    if (what === 'hand on') {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
      return;
    }
    link.lost += 1;
    answer.resume();
    answer.on('end', () => {
      if (what === 'hang up') outgoing.destroy();
      else if (what === 'cut short') {
        outgoing.writeHead(202, { 'content-type': 'application/json', 'content-length': '500' });
        outgoing.write('{"id": "0198', () => outgoing.destroy());
      } else {
        const json = what === '500';
        outgoing.writeHead(Number(what), { 'content-type': json ? 'application/json' : 'text/html' });
        outgoing.end(
          json
            ? '{"error":{"type":"api_error","code":"internal_error","message":"Oops.","param":null}}'
            : '<html><h1>Bad Gateway</h1></html>',
        );
      }
    });
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const link: Link = {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    forwarded: 0,
    lost: 0,
    cut: () => server.closeAllConnections(),
    async stop() {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return link;
}

/** Chance that is the same in every run (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
