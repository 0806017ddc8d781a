import aws4 from 'aws4';

interface AwsAccount {
  service: 'ses' | 's3';
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

export interface AwsRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  url: URL;
  headers?: Record<string, string>;
  body?: string;
  /** Replaces hashing the body: the SHA-256 of the payload in hex. */
  payloadSha256?: string;
}

/** Returns the headers of a request with its AWS signature, version 4. */
export function signAws(
  { service, region, accessKeyId, secretAccessKey }: AwsAccount,
  { method, url, headers = {}, body, payloadSha256 }: AwsRequest,
  now: number,
): Record<string, string> {
  const signed = aws4.sign(
    {
      service,
      region,
      host: url.host,
      path: url.pathname + url.search,
      method,
      headers: {
        ...headers,
        'X-Amz-Date': new Date(now).toISOString().replace(/[:-]|\.\d{3}/g, ''),
        ...(payloadSha256 === undefined ? {} : { 'X-Amz-Content-Sha256': payloadSha256 }),
      },
      ...(body === undefined ? {} : { body }),
    },
    { accessKeyId, secretAccessKey },
  );
  return Object.fromEntries(Object.entries(signed.headers ?? {}).map(([key, value]) => [key, String(value)]));
}
