import { fastify } from 'fastify';

/** Fastify that answers with the body it was sent: what HTTP and JSON alone cost. */
const app = fastify();
app.post('/v1/notifications', (request, reply) => reply.code(202).send(request.body));
await app.listen({ host: '127.0.0.1', port: 0 });
process.once('disconnect', () => {
  void app.close().then(() => process.exit(0));
});
process.send?.(app.listeningOrigin);
