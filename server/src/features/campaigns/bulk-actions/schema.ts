import { type Static, Type } from 'typebox';
import { channels } from '../../../channels/contract.ts';
import { DateTime, Nullable, OneOf, PageOf, pageQuery, Uuid } from '../../../http/schema.ts';

const maxText = 2_048;

const filterFields = {
  channel: Type.Optional(OneOf(channels)),
  category: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  template_key: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  recipient: Type.Optional(Type.String({ minLength: 1, maxLength: maxText, description: 'The address.' })),
  external_user_id: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  broadcast_id: Type.Optional(Uuid),
  provider: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'The provider of the last attempt, by name or kind.',
    }),
  ),
  reason: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: 'A part of `last_error`; case-insensitive.' }),
  ),
  created_after: Type.Optional(DateTime),
  created_before: Type.Optional(DateTime),
  all: Type.Optional(
    Type.Boolean({ description: 'Must be true when no other field than `status` narrows the filter.' }),
  ),
};

const RedriveFilter = Type.Object(
  {
    status: Type.Optional(OneOf(['failed', 'bounced'], { description: 'Defaults to failed.' })),
    ...filterFields,
  },
  { title: 'RedriveFilter' },
);

const CancelFilter = Type.Object(filterFields, { title: 'CancelFilter' });

/** Other fields are refused: a filter without the field that was meant would match more. */
export const filterNames: Record<BulkActionKind, ReadonlySet<string>> = {
  redrive: new Set(Object.keys(RedriveFilter.properties)),
  cancel: new Set(Object.keys(CancelFilter.properties)),
};

/** The filter of either action, as it is stored. */
export type BulkFilter = Static<typeof RedriveFilter>;

const confirmToken = {
  confirm_token: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1_024,
      description: 'The token of the preview with the same filter. Without it, the answer is a preview.',
    }),
  ),
};

export const RedriveRequest = Type.Object(
  { filter: RedriveFilter, ...confirmToken },
  { title: 'RedriveRequest', examples: [{ filter: { status: 'failed', reason: 'timeout' } }] },
);
export const CancelRequest = Type.Object(
  { filter: CancelFilter, ...confirmToken },
  { title: 'CancelRequest', examples: [{ filter: { template_key: 'spring_sale' } }] },
);

const bulkActionKinds = ['redrive', 'cancel'] as const;
export type BulkActionKind = (typeof bulkActionKinds)[number];

const bulkActionStatuses = ['running', 'completed', 'cancelled'] as const;
export type BulkActionStatus = (typeof bulkActionStatuses)[number];

export const BulkPreview = Type.Object(
  {
    action: OneOf(bulkActionKinds),
    count: Type.Integer({ description: 'The number of matching notifications.' }),
    count_is_exact: Type.Boolean({ description: 'False when there are more than were counted.' }),
    sample: Type.Array(
      Type.Object(
        {
          id: Uuid,
          channel: OneOf(channels),
          recipient: Nullable(Type.String()),
          template_key: Nullable(Type.String()),
          last_error: Nullable(Type.String()),
        },
        { title: 'BulkSample' },
      ),
      { description: 'The five newest.' },
    ),
    confirm_token: Type.String({
      description: 'Send the request again with this token to start the action.',
    }),
    expires_at: DateTime,
  },
  { title: 'BulkPreview' },
);
export type BulkPreview = Static<typeof BulkPreview>;

export const BulkAction = Type.Object(
  {
    id: Uuid,
    action: OneOf(bulkActionKinds),
    status: OneOf(bulkActionStatuses),
    filter: RedriveFilter,
    total: Nullable(Type.Integer({ description: 'The count of the preview; null when it was not exact.' })),
    done: Type.Integer({ description: 'Notifications that were redriven or cancelled.' }),
    skipped: Type.Integer({
      description:
        'Notifications that matched but could not be redriven (already redriven, attachments or recipient gone, plan limit) or cancelled (being sent).',
    }),
    started_at: DateTime,
    estimated_end_at: Nullable(DateTime),
    completed_at: Nullable(DateTime),
  },
  { title: 'BulkAction' },
);
export type BulkAction = Static<typeof BulkAction>;

export const BulkActionQuery = Type.Object({
  ...pageQuery,
  status: Type.Optional(OneOf(bulkActionStatuses)),
});
export const BulkActionPage = PageOf(BulkAction);
