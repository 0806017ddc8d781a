import { useSyncExternalStore } from 'react';

/** With a tick, together less than the 10 seconds within which a lost connection is shown. */
const checkEveryMs = 4000;
const answerWithinMs = 4500;
const tickMs = 1000;
const retryEveryMs = 2000;

/** Statuses of a proxy whose service is down. */
const proxyErrors = [502, 503, 504];

let isLost = false;
/** The last answer of the service, or the last check. */
let lastCheckAt = 0;
let check: Promise<boolean> | null = null;
const listeners = new Set<() => void>();

/** Every answer of the API shows that the service is there, which saves a check. */
export function noteAnswer(status: number): void {
  if (proxyErrors.includes(status)) return void checkConnection();
  lastCheckAt = Date.now();
  setLost(false);
}

/** Asks the service whether it is there; true when it is. Concurrent calls share one request. */
export function checkConnection(): Promise<boolean> {
  check ??= ping().finally(() => {
    check = null;
  });
  return check;
}

async function ping(): Promise<boolean> {
  lastCheckAt = Date.now();
  setLost(!(await answers()));
  return !isLost;
}

/** navigator.onLine is no help: it says nothing about a service on this machine or behind a VPN. */
async function answers(): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(answerWithinMs);
    const response = await fetch('/healthz', { cache: 'no-store', signal });
    await response.text(); // an answer that is not read keeps its connection
    return response.ok;
  } catch {
    return false;
  }
}

/** Reloads the document when the service is there: without it the browser would show an error page of its own. */
export async function reloadWhenReachable(): Promise<void> {
  if (await checkConnection()) location.reload();
}

function setLost(value: boolean): void {
  if (isLost === value) return;
  isLost = value;
  for (const each of [...listeners]) each();
}

/**
 * Checks the connection while the page is visible and nothing else shows that it works. `onRegained` is called each time a
 * lost connection is back.
 */
export function watchConnection(onRegained: () => void): void {
  setInterval(() => {
    const isDue = Date.now() - lastCheckAt >= (isLost ? retryEveryMs : checkEveryMs);
    if (isDue && document.visibilityState === 'visible') void checkConnection();
  }, tickMs);
  addEventListener('online', checkConnection);
  addEventListener('offline', checkConnection);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void checkConnection();
  });
  subscribe(() => {
    if (!isLost) onRegained();
  });
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useConnectionLost(): boolean {
  return useSyncExternalStore(subscribe, () => isLost);
}
