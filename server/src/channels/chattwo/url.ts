/** The kind of endpoint behind a URL. */
export type WebhookFlavour = 'WorkflowsVariantA' | 'WorkflowsVariantB' | 'LegacyConnector';

interface FurtherPattern {
  flavour: 'A' | 'B';
  pattern: RegExp;
}

/** Returns null when the URL is of no known kind. The URL itself is the secret, so it is never repeated. */
export function flavourOf(text: string, further: readonly FurtherPattern[]): WebhookFlavour | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const own = further.find(({ pattern }) => pattern.test(text));
  if (own) return own.flavour === 'A' ? 'WorkflowsVariantA' : 'WorkflowsVariantB';
  if (url.protocol !== 'https:' || url.username || url.password) return null;
  if (/^outlook\.office(?:365)?\.com$|\.webhook\.office\.com$/.test(url.hostname)) return 'LegacyConnector';
  if (url.port !== '') return null; // port 443 is parsed as no port
  if (/\.logic\.azure\.com$/.test(url.hostname) && url.pathname.startsWith('/workflows/'))
    return 'WorkflowsVariantA';
  if (/\.api\.powerplatform\.com$/.test(url.hostname) && url.pathname.includes('/workflows/'))
    return 'WorkflowsVariantB';
  return null;
}
