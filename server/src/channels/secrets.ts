/**
 * What others say to us may repeat what we said to them, credentials included. Apply it before a text is cut: half a secret is
 * not recognised any more.
 */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((left, secret) => (secret.length < 4 ? left : left.replaceAll(secret, '••••')), text);
}
