// The proxy of tcp-proxy.ts. Plain JavaScript, because a thread of Node.js 20 cannot load TypeScript.
import { connect, createServer } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

const { answer } = workerData;
let { target } = workerData;
const silent = new Set();
const links = new Set();

const listener = createServer((client) => {
  const link = { client, server: connect(target.address), targetId: target.id };
  links.add(link);
  const pass = (from, to) => {
    from.on('data', (bytes) => {
      if (!silent.has(link.targetId)) to.write(bytes);
    });
    const end = () => {
      if (silent.has(link.targetId)) return;
      links.delete(link);
      from.destroy();
      to.destroy();
    };
    from.on('error', end);
    from.on('close', end);
  };
  pass(client, link.server);
  pass(link.server, client);
});
listener.listen(0, '127.0.0.1', () => parentPort.postMessage(listener.address().port));

function cut() {
  for (const { client, server } of links) {
    client.destroy();
    server.destroy();
  }
  links.clear();
}

const commands = {
  redirect(to) {
    target = to;
  },
  cut,
  blackhole() {
    silent.add(target.id);
  },
  open: () => [...links].filter(({ client, targetId }) => targetId === target.id && !client.destroyed).length,
  stop() {
    silent.clear();
    cut();
    listener.close(() => parentPort.close());
  },
};

parentPort.on('message', ({ name, argument }) => {
  answer[1] = commands[name](argument) ?? 0;
  Atomics.store(answer, 0, 1);
  Atomics.notify(answer, 0);
});
