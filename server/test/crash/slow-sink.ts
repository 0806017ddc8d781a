import { startWebhookSink, type WebhookSink } from '../simulators/webhook-sink.ts';

/** Slow enough that every killed worker leaves calls behind whose answer it did not learn. */
export async function startSlowSink(): Promise<WebhookSink> {
  const sink = await startWebhookSink();
  sink.reply = () => (response) => setTimeout(() => response.writeHead(204).end(), 20);
  return sink;
}
