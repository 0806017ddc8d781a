import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { signAws } from './aws.ts';

/** The account and the requests of the examples in the S3 documentation, "Authenticating Requests: Using the Authorization Header". */
const account = {
  service: 's3',
  region: 'us-east-1',
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
} as const;
const now = Date.parse('2013-05-24T00:00:00Z');
const host = 'https://examplebucket.s3.amazonaws.com';

test.each([
  {
    name: 'PUT with a body',
    request: {
      method: 'PUT',
      url: new URL(`${host}/test%24file.text`),
      headers: { Date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
      payloadSha256: createHash('sha256').update('Welcome to Amazon S3.').digest('hex'),
    } as const,
    signature: '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  },
  {
    name: 'GET with a parameter without a value',
    request: { method: 'GET', url: new URL(`${host}/?lifecycle`) } as const,
    signature: 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  },
  {
    name: 'GET with two parameters',
    request: { method: 'GET', url: new URL(`${host}/?max-keys=2&prefix=J`) } as const,
    signature: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  },
])('$name has the signature of the published example', ({ request, signature }) => {
  const { Authorization } = signAws(account, request, now);
  expect(Authorization).toContain(`Signature=${signature}`);
});
