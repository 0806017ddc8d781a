/**
 * Remote answers may repeat what was sent, credentials included. Apply this before a text is cut: half a secret is not
 * recognized any more.
 */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((left, secret) => (secret.length < 4 ? left : left.replaceAll(secret, '••••')), text);
}

const maxShown = 300;

/** A remote text that is fit to be shown: one line of bounded length, without secrets. */
export function shownText(text: string, secrets: readonly string[]): string {
  return withoutSecrets(text, secrets)
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()
    .slice(0, maxShown);
}
