import type { RingSetting } from '../../../channels/in-app/push/ring-setting.ts';
import type { BodyField } from '../../../channels/template-rule.ts';
import type { PartPins } from '../parts/index.ts';
import { type BodyFields, findBody, newBody, sortBodies } from './bodies.ts';
import type { Change, TemplatePromotion } from './schema.ts';

export interface TemplateContent {
  name: string;
  bodies: BodyFields[];
  /** The versions of parts in Live; null in Test, and for a template that uses none. */
  parts: PartPins | null;
  push: RingSetting | null;
}

/** Returns the changes that a promotion of `next` makes to `before`, which is null when there is no template yet. */
export function diffTemplates(
  key: string,
  before: TemplateContent | null,
  next: TemplateContent,
): Omit<TemplatePromotion['template_diff'], 'parts'> {
  const bodies = sortBodies([
    ...next.bodies,
    ...(before?.bodies ?? []).filter((body) => !findBody(next.bodies, body.channel, body.locale)),
  ]).map(({ channel, locale }) =>
    diffBodies(
      findBody(before?.bodies ?? [], channel, locale),
      findBody(next.bodies, channel, locale),
      newBody(channel, locale, {}),
    ),
  );
  const name = before ? (before.name === next.name ? 'unchanged' : 'modified') : 'added';
  const push = diffText(pushText(before), pushText(next));
  const isSame =
    name === 'unchanged' && push === 'unchanged' && bodies.every(({ status }) => status === 'unchanged');
  return { key, status: before ? (isSame ? 'unchanged' : 'modified') : 'added', name, push, bodies };
}

function diffBodies(before: BodyFields | undefined, next: BodyFields | undefined, none: BodyFields) {
  const change = (field: BodyField): Change => diffText((before ?? none)[field], (next ?? none)[field]);
  const fields = {
    subject: change('subject_template'),
    text: change('text_template'),
    html: change('html_template'),
    structured: change('structured_template'),
  };
  const layout = diffText(before?.layout ?? '', next?.layout ?? '');
  const isSame = [layout, ...Object.values(fields)].every((each) => each === 'unchanged');
  const status: Change = !before ? 'added' : !next ? 'removed' : isSame ? 'unchanged' : 'modified';
  return { channel: none.channel, locale: none.locale, status, ...fields, layout };
}

function diffText(before: string, next: string): Change {
  if (before === next) return 'unchanged';
  if (before === '') return 'added';
  return next === '' ? 'removed' : 'modified';
}

function pushText(content: TemplateContent | null): string {
  return content?.push ? `${content.push.mode} ${content.push.after_seconds}` : '';
}
