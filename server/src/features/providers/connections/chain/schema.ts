import { type Static, type TProperties, Type } from 'typebox';
import { JsonObject, Nullable, OneOf, Uuid } from '../../../../http/schema.ts';
import { pattern } from '../../../../kernel/patterns.ts';
import { ProviderHealth } from '../../provider-health/index.ts';

export const ProviderParams = Type.Object({ envId: Uuid, id: Uuid });

export const VerifyView = Type.Object({ ok: Type.Boolean(), detail: Type.String() });

const maxProviders = 10;

const bodyFields = {
  id: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'The id of an existing provider: it keeps its id, its name and the omitted secrets.',
    }),
  ),
  kind: Type.String(),
  name: Type.Optional(
    Type.String({
      pattern: pattern(
        '^[A-Za-z0-9][A-Za-z0-9 ._-]{0,59}$',
        '1 to 60 of A–Z, a–z, 0–9, space, “.”, “_” and “-”, the first a letter or a digit',
      ),
      description: 'Shown in events and traces; unique within the environment. Defaults to the kind.',
    }),
  ),
  enabled: Type.Optional(Type.Boolean({ default: true })),
  config: Type.Optional(JsonObject),
};

/** A provider as a caller gives it. The channel adds the fields of its own. */
const ProviderBody = Type.Object(bodyFields);
export type ProviderBody = Static<typeof ProviderBody>;

export function ChainBody<Own extends TProperties>(kinds: readonly string[], own: Own) {
  return Type.Array(Type.Object({ ...bodyFields, kind: OneOf([...kinds]), ...own }), {
    maxItems: maxProviders,
    description: 'Tried in this order.',
  });
}

/** The chain as it is shown. The channel adds the fields of its own. */
export function ChainView<Own extends TProperties>(kinds: readonly string[], own: Own) {
  return Type.Array(
    Type.Object({
      id: Uuid,
      kind: OneOf([...kinds]),
      name: Type.String(),
      enabled: Type.Boolean(),
      ...own,
      config: Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        additionalProperties: true,
        description: 'Secrets show only their last characters.',
      }),
      callback_url: Nullable(
        Type.String({
          description: 'The URL for delivery reports of the provider; null for kinds without reports.',
        }),
      ),
      health: ProviderHealth,
    }),
  );
}
