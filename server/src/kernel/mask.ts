const dots = '••••';

/** The visible form of a secret: its end, unless the secret is so short that this would reveal it. */
export function masked(secret: string): string {
  return secret.length < 8 ? dots : dots + secret.slice(-4);
}

/** True for the masked form of a secret: a caller who sends it means the stored secret. */
export function isMasked(text: string): boolean {
  return text.startsWith(dots);
}
