/**
 * Remote answers may repeat what was sent, credentials included. Apply this before a text is cut: half a secret is not
 * recognized any more.
 */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((left, secret) => (secret.length < 4 ? left : left.replaceAll(secret, '••••')), text);
}
