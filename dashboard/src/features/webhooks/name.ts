import type { WebhookEndpoint } from '@carillon/sdk';

/** The name of an endpoint in headings: its description, or the host when that is long. */
export function nameOf({ description, url }: WebhookEndpoint): string {
  if (description !== '' && description.length <= 60) return description;
  return URL.canParse(url) ? new URL(url).host : url;
}
