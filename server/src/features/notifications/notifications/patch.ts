import { Problem } from '../../../kernel/errors.ts';
import { hasTags, type InlineSources } from '../../content/templates/index.ts';
import { checkContent, checkSurroundings } from './accept.ts';
import type { NotificationPatch } from './schema.ts';
import type { EditedContent, StoredNotification } from './store.ts';

/** The stored parts that a change of a queued notification replaces. */
type Edited = EditedContent & Pick<StoredNotification, 'inbox_extras' | 'action_url'>;

const inlineFields = ['subject', 'html_body', 'text_body'] as const;
const contentFields = [...inlineFields, 'template_data'] as const;

const isGiven = (patch: NotificationPatch, field: keyof NotificationPatch): boolean =>
  patch[field] !== undefined;

export function sourcesIn({ subject, html_body, text_body }: NotificationPatch): InlineSources {
  return { subject: subject || null, html_body: html_body || null, text_body: text_body || null };
}

/** Whether the content is Liquid after the change, as far as it has tags. Content that is Liquid stays so without data. */
export function isLiquidAfter(stored: StoredNotification, patch: NotificationPatch): boolean {
  if (stored.inline_format === 'liquid' || (patch.template_data ?? null) !== null) return true;
  // Sent with data, but so far without a tag; workflows and broadcasts have rendered theirs.
  const isOwn = stored.chain === null && stored.broadcast_id === null;
  return isOwn && stored.rendered_at === null && Object.keys(stored.template_data).length > 0;
}

/** Throws the Problem of a change that the content does not allow. A change of other fields keeps what was rendered. */
export function contentAfter(stored: StoredNotification, patch: NotificationPatch): Edited {
  const edited = {
    ...stored,
    ...stored.inbox_extras,
    subject: ownSubject(stored),
    ...givenFields(patch),
    send_at: null,
  };
  const action_url = edited.action_url || null;
  if (!contentFields.some((field) => isGiven(patch, field)))
    return { ...stored, ...checkSurroundings(edited), action_url };
  const isLiquid = isLiquidAfter(stored, patch);
  if (isLiquid) requireSources(stored, patch);
  return { ...checkContent(edited, isLiquid), structured: null, rendered_at: null, action_url };
}

/** The subject of the request; a template that was rendered has left its own subject in the row. */
function ownSubject({ template_key, inline_format, subject }: StoredNotification): string | null {
  return template_key !== null && inline_format === null ? null : subject;
}

/**
 * What is stored may be the result of a rendering, or of a workflow: it contains data, which must not be read as Liquid, and it
 * does not follow new data. The caller gives such fields again.
 */
function requireSources(stored: StoredNotification, patch: NotificationPatch): void {
  const isSource = stored.inline_format === 'liquid' && stored.rendered_at === null;
  if (isSource) return;
  const wasRendered = stored.inline_format === 'liquid' && isGiven(patch, 'template_data');
  const fields = stored.template_key === null ? inlineFields : (['subject'] as const);
  for (const param of fields) {
    const text = param === 'subject' ? ownSubject(stored) : stored[param];
    if (text === null || isGiven(patch, param) || !(wasRendered || hasTags(text))) continue;
    throw new Problem(
      'parameter_missing',
      `${param} has been rendered already, or was stored as it is: give it again to have it rendered with template_data.`,
      { param },
    );
  }
}

function givenFields(patch: NotificationPatch): NotificationPatch {
  const { subject, html_body, text_body, template_data, action_url, tags, actions } = patch;
  const fields = { subject, html_body, text_body, template_data, action_url, tags, actions };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
