const hosts = /^(?:(?:ptb|canary)\.)?discord(?:app)?\.com$/;
const path = /^\/api\/(?:v\d{1,2}\/)?webhooks\/\d{1,25}\/[\w-]{1,200}\/?$/;

/** Checks that the text is the URL of a webhook of the service, or matches a pattern that the operator added. */
export function isAcceptedUrl(text: string, further: readonly RegExp[]): boolean {
  if (!URL.canParse(text)) return false;
  return isOfService(new URL(text)) || further.some((pattern) => pattern.test(text));
}

function isOfService(url: URL): boolean {
  return (
    url.protocol === 'https:' &&
    url.port === '' &&
    !url.username &&
    !url.password &&
    hosts.test(url.hostname) &&
    path.test(url.pathname)
  );
}

/**
 * The URL that messages are posted to. Without `wait` the service reports no error in saving them; without a version it uses an
 * old one.
 */
export function executeUrl(webhookUrl: string): string {
  const url = new URL(webhookUrl);
  if (isOfService(url)) url.pathname = url.pathname.replace(/^\/api\/(?:v\d+\/)?/, '/api/v10/');
  url.searchParams.set('wait', 'true');
  return url.href;
}
