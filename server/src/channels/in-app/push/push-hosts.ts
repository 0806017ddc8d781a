/** The push services of the browsers: Chrome, Edge and others, Firefox, Safari, and Edge on Windows. */
export const knownPushHosts = [
  'fcm.googleapis.com',
  'updates.push.services.mozilla.com',
  '*.push.services.mozilla.com',
  '*.push.apple.com',
  '*.notify.windows.com',
] as const;

/** Whether a subscription may name this host: one of the list, or below one that begins with `*.`. */
export function isPushHost(host: string, allowed: readonly string[]): boolean {
  return allowed.some((entry) => (entry.startsWith('*.') ? host.endsWith(entry.slice(1)) : host === entry));
}

/** Safari ends the permission of a site whose pushes show nothing, so it is never sent a withdrawal. */
export function showsEveryPush(host: string): boolean {
  return host.endsWith('.push.apple.com');
}
