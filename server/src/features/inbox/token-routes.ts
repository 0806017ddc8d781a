import { Type } from 'typebox';
import { type Route, route } from '../../http/route.ts';
import { Uuid } from '../../http/schema.ts';
import { notFound } from '../../kernel/errors.ts';
import { issueToken, type KeyDeps, rotateKey } from './keys-service.ts';
import { IssuedToken, NewToken, RotatedKey, RotateKey, VerifiedToken } from './schema.ts';
import { tokenLimits } from './token.ts';

const tag = 'Inbox tokens';

/** Routes through which applications issue tokens for their users. */
export function tokenRoutes(deps: KeyDeps): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/inbox/tokens',
      operation: 'createInboxToken',
      tag,
      summary: 'Create an end-user token',
      description:
        'For the browser or device of one user. You can also create tokens without a call, with the signing key: HS256, `iss` the environment id, `sub` the user id, `scope`, `iat` and `exp`.',
      access: 'notifications:send',
      body: NewToken,
      responses: { 201: IssuedToken },
      async handler({ principal, body }) {
        const { token, expiresAt } = await issueToken(deps, principal, {
          externalUserId: body.external_user_id,
          scope: body.scope ?? 'inbox prefs',
          ttlSeconds: body.ttl_seconds ?? tokenLimits.defaultSeconds,
        });
        return { status: 201, body: { token, expires_at: expiresAt.toISOString() } };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/environments/:envId/inbox-key/rotate',
      operation: 'rotateInboxKey',
      tag,
      summary: 'Replace the inbox signing key',
      description:
        'The new key is shown only once. Tokens signed with earlier keys stay valid during the overlap (24 hours) until they expire.',
      access: 'keys:write',
      params: Type.Object({ envId: Uuid }),
      body: RotateKey,
      bodyOptional: true,
      responses: { 200: RotatedKey },
      async handler({ principal, requestId, params, body }) {
        if (params.envId.toLowerCase() !== principal.environmentId) throw notFound('environment');
        const { signingKey, previousValidUntil } = await rotateKey(
          deps,
          { principal, requestId },
          body.overlap_seconds ?? tokenLimits.overlapSeconds,
        );
        return {
          status: 200,
          body: { signing_key: signingKey, previous_valid_until: previousValidUntil.toISOString() },
        };
      },
    }),
    route({
      method: 'POST',
      path: '/inbox/v1/tokens/verify',
      operation: 'verifyInboxToken',
      tag,
      summary: 'Verify an end-user token',
      access: 'recipient',
      responses: { 200: VerifiedToken },
      handler({ principal }) {
        return {
          status: 200,
          body: {
            external_user_id: principal.externalUserId,
            organization_id: principal.organizationId,
            environment_id: principal.environmentId,
            scopes: [...principal.scopes],
            expires_at: new Date(principal.expiresAtMs).toISOString(),
          },
        };
      },
    }),
  ];
}
