const dots = '••••';

/** How a secret is shown: how it ends, unless it is so short that this would give it away. */
export function masked(secret: string): string {
  return secret.length < 8 ? dots : dots + secret.slice(-4);
}

/** The masked form of some secret: a caller who sends it means the secret that is stored. */
export function isMasked(text: string): boolean {
  return text.startsWith(dots);
}
