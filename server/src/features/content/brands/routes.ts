import { type Static, Type } from 'typebox';
import { lockEnvironment } from '../../../db/locks.ts';
import { transaction } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { isPlainOrigin } from '../../../http/hosted-page.ts';
import { type Route, route } from '../../../http/route.ts';
import { Nullable } from '../../../http/schema.ts';
import { invalidParameter } from '../../../kernel/errors.ts';
import { oneLine, pattern } from '../../../kernel/patterns.ts';
import { recordAudit } from '../../platform/audit/index.ts';
import { type BrandRow, findBrand, upsertBrand } from './store.ts';

const brandLimits = { name: 100, url: 2_048 } as const;
const example = { name: 'Acme', logo_url: 'https://acme.example/logo.svg', accent_color: '#7a3b00' };

const BrandInput = Type.Object(
  {
    name: Type.Optional(Nullable(Type.String({ maxLength: brandLimits.name, pattern: oneLine }))),
    logo_url: Type.Optional(
      Nullable(Type.String({ maxLength: brandLimits.url, description: 'An https URL of an image.' })),
    ),
    accent_color: Type.Optional(
      Nullable(
        Type.String({
          pattern: pattern('^#[0-9a-fA-F]{6}$', 'a colour such as #7a3b00'),
          description: 'The colour of buttons. Their text is black or white, whichever is easier to read.',
        }),
      ),
    ),
  },
  { title: 'BrandInput', examples: [example] },
);

const Brand = Type.Object(
  {
    name: Nullable(Type.String()),
    logo_url: Nullable(Type.String()),
    accent_color: Nullable(Type.String()),
  },
  { title: 'Brand' },
);

const tag = 'Preferences';

export function brandRoutes({ pool }: Pick<Deps, 'pool'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/brand',
      operation: 'getBrand',
      tag,
      summary: 'Get the brand of the environment',
      description: 'How the unsubscribe page and the preference page look to recipients.',
      access: 'preferences:read',
      responses: { 200: Brand },
      async handler({ principal }) {
        return { status: 200, body: await findBrand(pool, principal.environmentId) };
      },
    }),
    route({
      method: 'PUT',
      path: '/v1/brand',
      operation: 'replaceBrand',
      tag,
      summary: 'Replace the brand of the environment',
      description: 'Omitted fields become null: the pages then show no name or logo, and the default colour.',
      access: 'preferences:write',
      body: BrandInput,
      responses: { 200: Brand },
      async handler({ principal, body, requestId }) {
        const after = brandOf(body);
        await transaction(pool, async (tx) => {
          await lockEnvironment(tx, principal.environmentId);
          const before = await findBrand(tx, principal.environmentId);
          await upsertBrand(tx, principal.environmentId, after);
          const target = `environment:${principal.environmentId}`;
          await recordAudit(
            tx,
            { principal, requestId },
            { action: 'brand.replaced', target, before, after },
          );
        });
        return { status: 200, body: after };
      },
    }),
  ];
}

function brandOf({ name, logo_url, accent_color }: Static<typeof BrandInput>): BrandRow {
  return {
    name: name?.trim() || null,
    logo_url: logo_url ? logoUrl(logo_url) : null,
    accent_color: accent_color?.toLowerCase() ?? null,
  };
}

/** The origin of the logo becomes part of the security policy of the pages. */
function logoUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 'https:' || url.username || url.password)
    throw invalidParameter('logo_url', 'logo_url must be an https URL without a user name.');
  if (!isPlainOrigin(url.origin))
    throw invalidParameter('logo_url', "logo_url must have a host of letters, digits, '.', '-' and '_'.");
  return url.href;
}
