/**
 * Asks /healthz at a steady rate, whether or not the earlier questions were answered, in a process of its own: what it measures is
 * the service, and not the attacker. Told to stop, it says how long each answer took, in milliseconds.
 */
const url = process.argv[2] ?? '';
const everyMs = 20;
const tookMs: number[] = [];
const underWay = new Set<Promise<void>>();

async function ask(): Promise<void> {
  const began = performance.now();
  const response = await fetch(`${url}/healthz`);
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`/healthz answered ${response.status}`);
  tookMs.push(performance.now() - began);
}

const timer = setInterval(() => {
  const asked = ask().finally(() => underWay.delete(asked));
  underWay.add(asked);
}, everyMs);

process.once('message', async () => {
  clearInterval(timer);
  await Promise.all(underWay);
  process.send?.(tookMs);
  process.disconnect();
});
