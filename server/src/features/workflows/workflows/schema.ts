import { type Static, Type } from 'typebox';
import {
  DateTime,
  JsonObject,
  Nullable,
  OneOf,
  PageOf,
  pageQuery,
  Search,
  Uuid,
} from '../../../http/schema.ts';
import { pattern } from '../../../kernel/patterns.ts';

export const workflowLimits = {
  name: 200,
  description: 2_000,
  /** Characters of a body; the engine refuses a body with more bytes than that. */
  body: 262_144,
  workflows: 1_000,
  versions: 1_000,
  /** The maximum number of templates that a promotion may list. */
  promotedTemplates: 100,
  /** The number of earlier versions that are searched for a masked credential. */
  searchedVersions: 20,
} as const;

const keyPattern = pattern('^[a-z0-9_]{1,100}$', '1 to 100 of a–z, 0–9 and “_”');

/** A workflow with this key would collide with the paths of runs. */
export const reservedKeys: ReadonlySet<string> = new Set(['runs']);

const statuses = ['draft', 'active', 'disabled'] as const;
export type WorkflowStatus = (typeof statuses)[number];

const Name = Type.String({ minLength: 1, maxLength: workflowLimits.name });
const Description = Type.Optional(Nullable(Type.String({ maxLength: workflowLimits.description })));

export const NewWorkflow = Type.Object(
  { key: Type.String({ pattern: keyPattern }), name: Name, description: Description },
  { title: 'WorkflowCreate', examples: [{ key: 'dunning', name: 'Dunning' }] },
);
export type NewWorkflow = Static<typeof NewWorkflow>;

export const WorkflowPatch = Type.Object(
  { name: Type.Optional(Name), description: Description },
  {
    title: 'WorkflowPatch',
    examples: [{ name: 'Dunning' }],
    description: 'Omitted fields stay unchanged; null clears the description.',
  },
);
export type WorkflowPatch = Static<typeof WorkflowPatch>;

export const Workflow = Type.Object(
  {
    id: Uuid,
    key: Type.String(),
    name: Type.String(),
    description: Nullable(Type.String()),
    status: OneOf(statuses, { description: 'draft: no version has been activated yet.' }),
    active_version: Nullable(Type.Integer()),
    latest_version: Nullable(Type.Integer()),
    trigger_count_7d: Type.Integer({
      description:
        'Runs triggered in the last seven days, by full hours. Triggers in the last seconds may be missing.',
    }),
    created_at: DateTime,
    updated_at: DateTime,
  },
  { title: 'Workflow' },
);
export type Workflow = Static<typeof Workflow>;

export const WorkflowDetail = Type.Object(
  {
    ...Workflow.properties,
    active_body_json: Nullable(
      Type.String({ description: 'The body of the active version as JSON text; null without one.' }),
    ),
  },
  { title: 'WorkflowDetail' },
);
export type WorkflowDetail = Static<typeof WorkflowDetail>;

export const WorkflowPage = PageOf(Workflow);
export const WorkflowQuery = Type.Object({
  ...pageQuery,
  status: Type.Optional(OneOf(statuses)),
  search: Search('A part of the key or the name, case-insensitive.'),
});
export type WorkflowQuery = Static<typeof WorkflowQuery>;

export const WorkflowKey = Type.String({ maxLength: 100 });
export const KeyParams = Type.Object({ key: WorkflowKey });
export const VersionParams = Type.Object({
  key: WorkflowKey,
  version: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
});

export const VersionRequest = Type.Object(
  {
    body_json: Type.Optional(Nullable(Type.String({ description: 'The body as JSON text.' }))),
    body: Type.Optional(Nullable(JsonObject)),
  },
  {
    title: 'WorkflowVersionCreate',
    examples: [
      {
        body: {
          steps: [
            {
              id: 'mail',
              kind: 'send',
              channel: 'email',
              recipient: { external_user_id: '{{ trigger.user }}' },
              template_key: 'order_shipped',
            },
          ],
        },
      },
    ],
    description: 'Set one of the two. The JSON Schema of the body is at /workflows/schema.json.',
  },
);
export type VersionRequest = Static<typeof VersionRequest>;

const versionFields = {
  id: Uuid,
  version: Type.Integer(),
  is_active: Type.Boolean(),
  activated_at: Nullable(DateTime),
  deactivated_at: Nullable(
    Type.String({
      format: 'date-time',
      description: 'When the version was replaced or the workflow was disabled.',
    }),
  ),
  created_at: DateTime,
};

export const Version = Type.Object(
  {
    workflow_key: Type.String(),
    ...versionFields,
    body_json: Type.String({
      description:
        'Credentials of fetch steps are masked except for their last characters. Saving the masked value keeps the credential.',
    }),
  },
  { title: 'WorkflowVersion' },
);
export type Version = Static<typeof Version>;

export const VersionPage = PageOf(Type.Object(versionFields, { title: 'WorkflowVersionSummary' }));
export const WorkflowVersionQuery = Type.Object(pageQuery);
export type WorkflowVersionQuery = Static<typeof WorkflowVersionQuery>;

export const ActivateQuery = Type.Object({ dry_run: Type.Optional(Type.Boolean()) });

export const Validation = Type.Object(
  {
    valid: Type.Boolean(),
    errors: Type.Array(
      Type.Object({
        code: Type.String(),
        message: Type.String(),
        pointer: Type.String({ description: 'JSON Pointer into the body.' }),
      }),
    ),
  },
  { title: 'WorkflowValidation' },
);
export type Validation = Static<typeof Validation>;

export const PromoteRequest = Type.Object(
  {
    dry_run: Type.Optional(Nullable(Type.Boolean())),
    include_templates: Type.Optional(
      Type.Unsafe<boolean | string[] | null>({
        type: ['boolean', 'array', 'null'],
        items: { type: 'string', minLength: 1, maxLength: 200 },
        maxItems: workflowLimits.promotedTemplates,
        description:
          'Also promote templates: true for those used in the body, or a list of template keys. Requires templates:promote.',
      }),
    ),
  },
  { examples: [{ dry_run: true, include_templates: true }] },
);
export type PromoteRequest = Static<typeof PromoteRequest>;

const Change = OneOf(['added', 'removed', 'modified', 'unchanged'] as const);

export const WorkflowPromotion = Type.Object(
  {
    applied: Type.Boolean({
      description: 'Whether Live was changed; false in a dry run and if it was identical.',
    }),
    status: OneOf(['new', 'changed', 'identical'] as const),
    workflow_diff: Type.Object({
      key: Type.String(),
      status: Change,
      name: Change,
      description: Change,
      trigger_data_schema: Change,
      steps: Type.Array(Type.Object({ id: Type.String(), status: Change })),
      templates: Type.Array(
        Type.Unsafe<unknown>({
          description: 'Like template_diff of a template promotion; empty without templates.',
        }),
      ),
    }),
    target_version: Type.Integer({
      description: 'The version in Live with this body; in a dry run, the version that would be created.',
    }),
  },
  { title: 'WorkflowPromotion' },
);
export type WorkflowPromotion = Static<typeof WorkflowPromotion>;
