import { type Static, Type } from 'typebox';

/**
 * When an inbox item rings the devices of its user: at once; when it was not seen for some seconds; never. A template decides before
 * its category, and a category before the environment.
 */
const ringModes = ['always', 'unseen', 'never'] as const;
type RingMode = (typeof ringModes)[number];

const defaultAfterSeconds = 30;
const maxAfterSeconds = 86_400;

export const RingInput = Type.Object(
  {
    mode: Type.Unsafe<RingMode>({
      type: 'string',
      enum: [...ringModes],
      description:
        '`always`: at once. `unseen`: if the item is not read within `after_seconds`. `never`: the inbox only.',
    }),
    after_seconds: Type.Optional(
      Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        minimum: 1,
        maximum: maxAfterSeconds,
        description: `Only for \`unseen\`; defaults to ${defaultAfterSeconds}.`,
      }),
    ),
  },
  { title: 'PushRingInput', examples: [{ mode: 'unseen', after_seconds: 60 }] },
);
export type RingInput = Static<typeof RingInput>;

export const RingSetting = Type.Object(
  {
    mode: Type.Unsafe<RingMode>({ type: 'string', enum: [...ringModes] }),
    after_seconds: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
  },
  { title: 'PushRing' },
);
export type RingSetting = Static<typeof RingSetting>;

export const alwaysRing: RingSetting = { mode: 'always', after_seconds: null };

export function ringSettingOf({ mode, after_seconds: seconds }: RingInput): RingSetting {
  return { mode, after_seconds: mode === 'unseen' ? (seconds ?? defaultAfterSeconds) : null };
}

/** The delay of the first ring; null when there is none. */
export function ringDelayMs({ mode, after_seconds: seconds }: RingSetting): number | null {
  if (mode === 'never') return null;
  return mode === 'unseen' ? (seconds ?? defaultAfterSeconds) * 1000 : 0;
}
