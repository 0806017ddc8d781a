import { pattern } from '../kernel/patterns.ts';
import type { JsonObject } from './contract.ts';
import { stepKinds } from './contract.ts';
import { engineLimits } from './limits.ts';
import { clockTime, weekdayNames } from './time.ts';

/**
 * The structure of a body as JSON Schema 2020-12: parse.ts checks it, and /workflows/schema.json serves it to editors. Problems
 * with a validation code (an unknown kind, a delay without a duration) pass here, so that an unfinished draft can be saved.
 */
const text = (description: string, more: JsonObject = {}): JsonObject => ({
  type: 'string',
  description,
  ...more,
});
const value = (description: string): JsonObject => ({
  description: `${description} Texts in it are Liquid templates.`,
});
const stepId: JsonObject = {
  type: 'string',
  pattern: pattern(
    '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$',
    '1 to 64 of A–Z, a–z, 0–9, “_” and “-”, the first a letter or a digit',
  ),
  not: { enum: ['constructor', 'prototype'] },
};
const target = (description: string): JsonObject => ({
  type: 'string',
  minLength: 1,
  maxLength: 64,
  description: `${description} The id of a step, or \`end\`.`,
});
const expression = (description: string): JsonObject =>
  text(`${description} A CEL expression over trigger, steps, event, digest and run.`, {
    minLength: 1,
    maxLength: engineLimits.expressionLength,
  });
const duration = (description: string): JsonObject =>
  text(`${description} ISO 8601 (\`PT15M\`, \`P3DT4H\`) or short (\`15m\`, \`2h\`, \`3d\`), or a template.`);
const clock = (description: string): JsonObject =>
  text(description, { pattern: pattern(clockTime.source, 'a time from 00:00 to 23:59') });
const nullable = (schema: JsonObject): JsonObject => ({ ...schema, type: [schema.type ?? 'string', 'null'] });

/** The recipient fields of POST /v1/notifications. */
const recipientFields = [
  'address',
  'name',
  'external_user_id',
  'endpoint',
  'chatone_user_id',
  'chatone_channel_id',
  'chattwo_endpoint_id',
  'chatthree_endpoint_id',
];

const kinds: Record<(typeof stepKinds)[number], JsonObject> = {
  send: {
    required: ['channel', 'recipient'],
    properties: {
      channel: text('The channel of the notification.'),
      recipient: {
        type: 'object',
        properties: Object.fromEntries(recipientFields.map((field) => [field, {}])),
        description: 'As in POST /v1/notifications. Texts in it are Liquid templates.',
      },
      template_key: nullable(text('A stored template with a body for the channel.')),
      template_data: {
        type: ['object', 'null'],
        description: 'Variables of the template. Texts in it are Liquid templates.',
      },
      subject: nullable(text('Inline content.')),
      html_body: nullable(text('Inline content; outputs are escaped as HTML.')),
      text_body: nullable(text('Inline content.')),
      category: nullable(text('Key of a preference category.')),
      action_url: nullable(text('Shown in in-app notifications.')),
      tags: {
        type: ['array', 'null'],
        items: { type: 'string' },
        description: 'In-app only: what the item is about. Texts in it are Liquid templates.',
      },
      actions: {
        type: ['array', 'null'],
        items: {
          type: 'object',
          required: ['key', 'label'],
          properties: {
            key: text('What the event `inbox.action` names as `action`.'),
            label: text('The text of the button.'),
            url: nullable(text('Where the button leads.')),
            style: nullable(text('default, primary or danger.')),
          },
        },
        description: 'In-app only: at most two buttons. Texts in it are Liquid templates.',
      },
      attachments: {
        type: ['array', 'null'],
        items: {
          type: 'object',
          required: ['filename', 'content_type', 'content_base64'],
          properties: {
            filename: text('The name that the recipient sees.'),
            content_type: text('A MIME type.'),
            content_base64: text('The bytes of the file in base64.'),
            content_id: nullable(text('For an image within the HTML.')),
          },
        },
        description: 'Email only: at most 10 files. Texts in it are Liquid templates.',
      },
      send_at: nullable(text('Not before this time: an ISO 8601 timestamp or a template.')),
      from_name: nullable(text('Email only.')),
      reply_to: nullable(text('Email only.')),
      priority: nullable(text('critical, normal or bulk.')),
      wait_for: {
        enum: ['accepted', 'sent', 'delivered'],
        default: 'accepted',
        description: 'How far the notification must get before the run goes on.',
      },
      timeout: duration('How long `wait_for` waits; defaults to a day.'),
    },
  },
  delay: {
    properties: {
      duration: duration('How long.'),
      until: text(
        'Until when: an ISO 8601 timestamp, a template, or a CEL expression that returns a timestamp.',
      ),
      at: text('The next occurrence of this local time in `timezone`.', {
        pattern: pattern(clockTime.source, 'a time from 00:00 to 23:59'),
      }),
      window: {
        type: 'object',
        required: ['start', 'end'],
        properties: {
          start: clock('When the window opens.'),
          end: clock('When it closes; before `start` for a window that spans midnight.'),
          days: {
            type: 'array',
            minItems: 1,
            maxItems: weekdayNames.length,
            items: { enum: [...weekdayNames] },
            description: 'The days on which it opens; defaults to all.',
          },
        },
        description: 'Until the window is open: no delay inside of it. Local time in `timezone`.',
      },
      timezone: text(
        'An IANA time zone name, a template, or `recipient` for that of the user; a window defaults to `recipient`.',
      ),
      fallback_timezone: text(
        'For recipients whose time zone is not known: an IANA name or a template. Defaults to UTC.',
      ),
    },
  },
  branch: {
    required: ['branches'],
    properties: {
      branches: {
        type: 'array',
        minItems: 1,
        maxItems: engineLimits.branches,
        description: 'The first one whose expression is true is taken.',
        items: {
          type: 'object',
          required: ['when', 'goto'],
          properties: { when: expression('The condition.'), goto: target('The target step.') },
        },
      },
      else: target('The target if no condition is true; defaults to the next step.'),
    },
  },
  wait_for_event: {
    properties: {
      event: text('Name of the event.', { maxLength: 200 }),
      match: {
        type: 'object',
        maxProperties: engineLimits.matchPaths,
        propertyNames: { minLength: 1, maxLength: 200 },
        description:
          'Path in event_data (`order.id`) → the value it must equal, fixed when the run begins to wait. Texts are Liquid templates.',
      },
      timeout: duration('How long to wait; defaults to a year.'),
      on_timeout: target('The target on a timeout; defaults to the next step.'),
      lookback: {
        type: 'boolean',
        default: false,
        description: 'Take an event that came after the trigger, before the wait.',
      },
    },
  },
  digest: {
    required: ['key', 'window'],
    properties: {
      key: {
        type: ['string', 'number', 'boolean'],
        description: 'Runs with the same key are collected. A Liquid template.',
      },
      window: duration('How long to collect, counted from the first run.'),
      max_items: {
        type: 'number',
        description: `Close early when so many are collected: 1 to ${engineLimits.digestItems}.`,
      },
    },
  },
  throttle: {
    required: ['key', 'limit', 'window'],
    properties: {
      key: {
        type: ['string', 'number', 'boolean'],
        description: 'Runs with the same key share the limit. A Liquid template.',
      },
      limit: {
        type: 'number',
        description: `How many runs pass within the window: 1 to ${engineLimits.throttleRuns}.`,
      },
      window: duration('The length of the sliding window.'),
      mode: {
        enum: ['skip', 'wait'],
        default: 'skip',
        description: 'What a run does when the limit is reached.',
      },
      on_limit: target('With `skip`, the target when the limit is reached; defaults to the end of the run.'),
    },
  },
  fetch: {
    required: ['url'],
    properties: {
      url: text('A Liquid template.', { minLength: 1 }),
      method: { enum: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], default: 'GET' },
      headers: {
        type: 'object',
        maxProperties: engineLimits.headers,
        additionalProperties: { type: 'string' },
        description: 'Values are Liquid templates.',
      },
      body: value('Sent as JSON.'),
      on_error: target('The target if the call fails permanently; without it the run fails.'),
    },
  },
  cancel: {},
  noop: {},
};

const everyStep: JsonObject = {
  id: stepId,
  kind: { type: 'string', anyOf: [{ enum: [...stepKinds] }, { minLength: 1, maxLength: 64 }] },
  when: expression('False skips the step.'),
  next: target('The following step, if it is not the next one in the array.'),
};

/** The fields of a step by its kind; unknown kinds are absent. */
export const stepFields: ReadonlyMap<string, JsonObject> = new Map(
  stepKinds.map((kind) => [kind, { ...everyStep, ...(kinds[kind].properties as JsonObject | undefined) }]),
);

export const definitionSchema: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Carillon workflow',
  type: 'object',
  required: ['steps'],
  properties: {
    $schema: text('The URL of this schema, for editors.'),
    trigger_data_schema: {
      type: ['object', 'boolean', 'null'],
      description: 'JSON Schema 2020-12 that trigger_data must fit.',
    },
    steps: {
      type: 'array',
      minItems: 1,
      maxItems: engineLimits.steps,
      description: 'Run in this order unless `next` or a branch says otherwise.',
      items: { $ref: '#/$defs/step' },
    },
  },
  $defs: {
    step: {
      type: 'object',
      required: ['id', 'kind'],
      properties: everyStep,
      allOf: stepKinds.map((kind) => ({
        if: { required: ['kind'], properties: { kind: { const: kind } } },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
        then: kinds[kind],
      })),
    },
  },
};
