import type { Template } from '@carillon/sdk';
import type { Channel } from '../channels.ts';
import { orNull } from './found.ts';
import type { Files, Kind } from './kind.ts';
import { pushField, readPushRing } from './push-ring.ts';
import { readTemplates } from './read-templates.ts';
import {
  bodyName,
  fieldByExtension,
  type Head,
  headOf,
  inOrder,
  name,
  partsOf,
  withoutBreak,
} from './template-files.ts';

export const templates: Kind = {
  name,
  removal: 'delete',
  read: readTemplates,
  async *list(client) {
    for await (const template of client.templates.list({ limit: 100 }))
      yield [template.key, filesOf(template)];
  },
  async find(client, key) {
    const found = await orNull(client.templates.get(key));
    return found && filesOf(found);
  },
  async write(client, key, files) {
    const content = contentOf(key, files);
    if (await orNull(client.templates.get(key))) await client.templates.update(key, content);
    else await client.templates.create({ key, ...content });
  },
  remove: (client, key) => client.templates.delete(key),
};

export function filesOf({
  key,
  name: called,
  bodies,
  push,
}: Pick<Template, 'key' | 'name' | 'bodies' | 'push'>): Files {
  const subjects: Record<string, string> = {};
  const layouts: Record<string, string> = {};
  const files = new Map<string, string>();
  for (const body of bodies) {
    const id = bodyName(body.channel, body.locale);
    if (body.subject_template !== '') subjects[id] = body.subject_template;
    if (body.layout !== null) layouts[id] = body.layout;
    for (const [extension, field] of Object.entries(fieldByExtension)) {
      if (body[field] !== '') files.set(`${name}/${key}/${id}.${extension}`, `${body[field]}\n`);
    }
  }
  return new Map([
    [`${name}/${key}/template.json`, headOf({ name: called, subjects, layouts, ...pushField(push) })],
    ...inOrder(files),
  ]);
}

/** Back from canonical files to what the service takes. */
function contentOf(key: string, files: Files) {
  const head = JSON.parse(files.get(`${name}/${key}/template.json`) ?? '{}') as Head;
  const bodies = new Map<string, Record<string, string>>();
  const fieldsOfBody = (id: string) => {
    const fields = bodies.get(id) ?? {};
    bodies.set(id, fields);
    return fields;
  };
  for (const [path, content] of files) {
    const parts = partsOf(path.split('/').at(-1) ?? '');
    if (parts)
      fieldsOfBody(bodyName(parts.channel, parts.locale))[fieldByExtension[parts.extension]] =
        withoutBreak(content);
  }
  for (const [id, subject] of Object.entries(head.subjects ?? {}))
    fieldsOfBody(id).subject_template = subject;
  for (const [id, layout] of Object.entries(head.layouts ?? {})) fieldsOfBody(id).layout = layout;
  return {
    name: head.name,
    push: readPushRing(head.push),
    bodies: [...bodies].map(([id, fields]) => {
      const [channel = '', locale = null] = id.split('.');
      return { channel: channel as Channel, locale, ...fields };
    }),
  };
}
