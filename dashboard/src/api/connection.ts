import { useSyncExternalStore } from 'react';

/** Interval, timeout and tick add up to less than the 10 seconds within which a lost connection is shown. */
const checkEveryMs = 4000;
const answerWithinMs = 4500;
const tickMs = 1000;
const retryEveryMs = 2000;

/** Statuses of a proxy whose service is down. */
const proxyErrors = [502, 503, 504];

let isLost = false;
/** The time of the last response of the service, or of the last check. */
let lastCheckAt = 0;
let check: Promise<boolean> | null = null;
const listeners = new Set<() => void>();

/** Every response of the API proves that the service is up, which saves a check. */
export function noteAnswer(status: number): void {
  if (proxyErrors.includes(status)) return void checkConnection();
  lastCheckAt = Date.now();
  setLost(false);
}

/** Returns true when the service responds. Concurrent calls share one request. */
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

/** navigator.onLine does not help: it says nothing about a service on this machine or behind a VPN. */
async function answers(): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(answerWithinMs);
    const response = await fetch('/healthz', { cache: 'no-store', signal });
    await response.text(); // An unread body keeps its connection open.
    return response.ok;
  } catch {
    return false;
  }
}

/** Reloads the document once the service responds: before that the browser would show its own error page. */
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
