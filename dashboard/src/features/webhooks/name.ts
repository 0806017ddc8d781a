import type { WebhookEndpoint } from '@carillon/sdk';

/** What an endpoint is called in headings: its description, unless that is a story; then the host. */
export function nameOf({ description, url }: WebhookEndpoint): string {
  if (description !== '' && description.length <= 60) return description;
  return URL.canParse(url) ? new URL(url).host : url;
}
