import { Type } from 'typebox';
import type { Deps } from '../../../deps.ts';
import { type Reply, type Route, type RouteCall, route } from '../../../http/route.ts';
import type { CallbackService } from './service.ts';

const tag = 'Callbacks';
const HookParams = Type.Object({ provider: Type.String(), token: Type.String() });
/**
 * SendGrid sends several hundred events at a time, and SNS messages have up to 256 KB. Bodies are read only with a valid token.
 */
const bodyLimit = 1_048_576;

/** The routes that providers report to. The token in the URL identifies the provider, the signature authenticates it. */
export function callbackRoutes({
  publicUrl,
  callbacks,
}: Pick<Deps, 'publicUrl'> & { callbacks: CallbackService }): Route[] {
  async function receive({
    params,
    body,
    raw,
    requestId,
  }: Pick<
    RouteCall<unknown, unknown, { provider: string; token: string }>,
    'params' | 'body' | 'raw' | 'requestId'
  >): Promise<Reply> {
    const request = {
      url: publicUrl() + raw.url,
      method: raw.method,
      headers: firstOfEach(raw.headers),
      query: firstOfEach(raw.query as Record<string, unknown>),
      body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
    };
    const answer = await callbacks.receive(params.provider, params.token, request, requestId);
    return answer ? { status: 200, body: answer.body, contentType: answer.contentType } : { status: 200 };
  }

  const admit: Route['admit'] = ({ params }) =>
    callbacks.admit(params as { provider: string; token: string });

  return [
    route({
      method: 'POST',
      path: '/hooks/:provider/:token',
      operation: 'receiveCallback',
      tag,
      summary: 'Receive a provider report',
      description:
        'For providers, not for applications: the URL is the `callback_url` of a provider in the channel settings. Calls must have the signature of that provider. Duplicates change nothing, and reports about unknown messages are ignored.',
      access: 'public',
      params: HookParams,
      rawBody: true,
      bodyLimit,
      admit,
      responses: { 200: null },
      handler: receive,
    }),
    route({
      method: 'GET',
      path: '/hooks/:provider/:token',
      operation: 'receiveCallbackByGet',
      tag,
      summary: 'Receive a provider report in the query',
      description: 'For providers that report with GET.',
      access: 'public',
      params: HookParams,
      rawBody: true,
      responses: { 200: null },
      handler: receive,
    }),
  ];
}

function firstOfEach(values: Record<string, unknown>): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const first: unknown = Array.isArray(value) ? value[0] : value;
      return [name, typeof first === 'string' ? first : undefined];
    }),
  );
}
