import { type Dirent, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, NotFoundError, type Template } from '@carillon/sdk';
import {
  FileProblem,
  fieldsOf,
  hasMergeMarks,
  isObject,
  pretty,
  readJsonFile,
  readText,
} from './json-file.ts';
import {
  type Channel,
  channels,
  type Files,
  type FolderContent,
  type Kind,
  type LocalResource,
} from './kind.ts';
import { isIgnored } from './single-file.ts';

const name = 'templates';
const keyPattern = /^[a-z0-9][a-z0-9_.-]{0,99}$/;
const mostCharacters = 262_144;

/**
 * templates/<key>/template.json has the name and the subjects; every other field of a body is a file <channel>[.<locale>].html, .txt
 * or .json. A file ends with a line break that is not part of the template: editors add one anyway.
 */
const fieldByExtension = {
  html: 'html_template',
  txt: 'text_template',
  json: 'structured_template',
} as const;
type Extension = keyof typeof fieldByExtension;

const used: Record<Channel, readonly (Extension | 'subject')[]> = {
  email: ['subject', 'html', 'txt'],
  in_app: ['subject', 'html', 'txt'],
  sms: ['txt'],
  webhook: ['subject', 'html', 'txt', 'json'],
  chatone: ['json'],
  chattwo: ['json'],
  chatthree: ['txt', 'json'],
};

export const templates: Kind = {
  name,
  removal: 'delete',
  read: readTemplates,
  async *list(client) {
    for await (const template of client.templates.list({ limit: 100 }))
      yield [template.key, filesOf(template)];
  },
  async find(client, key) {
    const found = await getTemplate(client, key);
    return found && filesOf(found);
  },
  async write(client, key, files) {
    const content = contentOf(key, files);
    if (await getTemplate(client, key)) await client.templates.update(key, content);
    else await client.templates.create({ key, ...content });
  },
  remove: (client, key) => client.templates.delete(key),
};

async function getTemplate(client: Client, key: string): Promise<Template | null> {
  try {
    return await client.templates.get(key);
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}

interface Head {
  name: string;
  subjects?: Record<string, string>;
}

/** `email`, `email.de`: which body it is. */
const bodyName = (channel: string, locale: string | null): string =>
  locale ? `${channel}.${locale}` : channel;

export function filesOf({ key, name: called, bodies }: Pick<Template, 'key' | 'name' | 'bodies'>): Files {
  const subjects: Record<string, string> = {};
  const files = new Map<string, string>();
  for (const body of bodies) {
    const id = bodyName(body.channel, body.locale);
    if (body.subject_template !== '') subjects[id] = body.subject_template;
    for (const [extension, field] of Object.entries(fieldByExtension)) {
      if (body[field] !== '') files.set(`${name}/${key}/${id}.${extension}`, `${body[field]}\n`);
    }
  }
  return new Map([[`${name}/${key}/template.json`, headOf(called, subjects)], ...inOrder(files)]);
}

const inOrder = <Value>(entries: Iterable<[string, Value]>): [string, Value][] =>
  [...entries].sort(([one], [other]) => (one < other ? -1 : 1));

function headOf(called: string, subjects: Record<string, string>): string {
  const sorted = inOrder(Object.entries(subjects));
  const head: Head = { name: called, ...(sorted.length > 0 ? { subjects: Object.fromEntries(sorted) } : {}) };
  return pretty(head);
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
  return {
    name: head.name,
    bodies: [...bodies].map(([id, fields]) => {
      const [channel = '', locale = null] = id.split('.');
      return { channel: channel as Channel, locale, ...fields };
    }),
  };
}

const withoutBreak = (content: string): string => content.replace(/\n$/, '');

function partsOf(file: string): { channel: Channel; locale: string | null; extension: Extension } | null {
  const [first = '', ...rest] = file.split('.');
  const extension = rest.pop();
  const channel = channels.find((each) => each === first.replaceAll('-', '_'));
  if (!channel || rest.length > 1 || !isExtension(extension)) return null;
  const [tag] = rest;
  const locale = tag === undefined ? null : canonicalLocale(tag);
  return tag !== undefined && locale === null ? null : { channel, locale, extension };
}

function isExtension(text: string | undefined): text is Extension {
  return text !== undefined && Object.hasOwn(fieldByExtension, text);
}

function canonicalLocale(text: string): string | null {
  try {
    return Intl.getCanonicalLocales(text.replaceAll('_', '-'))[0] ?? null;
  } catch {
    return null;
  }
}

function readTemplates(folder: string): FolderContent {
  const content: FolderContent = {
    exists: existsSync(join(folder, name)),
    resources: new Map(),
    problems: [],
  };
  if (!content.exists) return content;
  for (const entry of readdirSync(join(folder, name), { withFileTypes: true })) {
    if (isIgnored(entry.name)) continue;
    const path = `${name}/${entry.name}`;
    const found = entry.isDirectory() ? readdirSync(join(folder, path), { withFileTypes: true }) : [];
    if (entry.isDirectory() && found.every((each) => isIgnored(each.name))) continue; // as git leaves it behind
    try {
      if (!entry.isDirectory())
        throw new FileProblem('is not a folder; a template is a folder called after its key');
      if (!keyPattern.test(entry.name)) throw new FileProblem(`: “${entry.name}” cannot be a key`);
      content.resources.set(entry.name, readTemplate(folder, entry.name, found, content));
    } catch (error) {
      if (!(error instanceof FileProblem)) throw error;
      content.problems.push({ path, message: error.message });
    }
  }
  return content;
}

/** Tells every file that is wrong, not only the first. */
function readTemplate(folder: string, key: string, entries: Dirent[], content: FolderContent): LocalResource {
  const files = new Map<string, string>();
  const bodies = new Set<string>();
  const paths: string[] = [];
  let head: Head | null = null;
  for (const entry of entries) {
    if (isIgnored(entry.name)) continue;
    const path = `${name}/${key}/${entry.name}`;
    paths.push(path);
    try {
      if (entry.name === 'template.json') {
        head = readHead(join(folder, path), key);
        continue;
      }
      const parts = entry.isFile() ? partsOf(entry.name) : null;
      if (!parts) throw new FileProblem('is not a body: expected <channel>[.<locale>].html, .txt or .json');
      if (!used[parts.channel].includes(parts.extension))
        throw new FileProblem(
          `: ${parts.channel} has ${used[parts.channel].join(', ')}, not ${parts.extension}`,
        );
      const id = bodyName(parts.channel, parts.locale);
      const canonical = `${name}/${key}/${id}.${parts.extension}`;
      if (files.has(canonical))
        throw new FileProblem(`is the same body as another file: ${id}.${parts.extension}`);
      const text = withoutBreak(readText(join(folder, path)));
      if (text.length > mostCharacters && [...text].length > mostCharacters)
        throw new FileProblem(`has more than ${mostCharacters} characters`);
      if (hasMergeMarks(text)) throw new FileProblem('has the marks of an unfinished merge');
      if (text === '') continue;
      files.set(canonical, `${text}\n`);
      bodies.add(id);
    } catch (error) {
      if (!(error instanceof FileProblem)) throw error;
      content.problems.push({ path, message: error.message });
    }
  }
  if (!paths.includes(`${name}/${key}/template.json`)) throw new FileProblem('has no template.json');
  const { name: called = '', subjects = {} } = head ?? {};
  if (head) checkBodies(subjects, bodies);
  return {
    files: new Map([[`${name}/${key}/template.json`, headOf(called, subjects)], ...inOrder(files)]),
    paths,
  };
}

function readHead(path: string, key: string): Head {
  const value = readJsonFile(path);
  const fields = fieldsOf(value, ['key', 'name', 'subjects']);
  if ((value.key ?? key) !== key)
    throw new FileProblem(`says its key is “${String(value.key)}”, but the name of the folder is the key`);
  const subjects: Record<string, string> = {};
  for (const [id, subject] of Object.entries(isObject(value.subjects) ? fields.object('subjects') : {})) {
    const parts = partsOf(`${id}.txt`);
    if (!parts)
      throw new FileProblem(`: subjects.${id} is not a channel, or a channel and a locale (email.de)`);
    if (typeof subject !== 'string' || subject.length > mostCharacters)
      throw new FileProblem(`: subjects.${id} must be a text`);
    if (!used[parts.channel].includes('subject')) throw new FileProblem(`: ${parts.channel} has no subject`);
    const canonical = bodyName(parts.channel, parts.locale);
    if (Object.hasOwn(subjects, canonical)) throw new FileProblem(`has two subjects for ${canonical}`);
    if (subject !== '') subjects[canonical] = subject;
  }
  if (value.subjects !== undefined && !isObject(value.subjects))
    throw new FileProblem(': subjects must be an object');
  return { name: fields.text('name', 200), subjects };
}

function checkBodies(subjects: Record<string, string>, bodies: Set<string>): void {
  for (const id of Object.keys(subjects)) {
    if (!bodies.has(id))
      throw new FileProblem(`has a subject for ${id}, but no file ${id}.html or ${id}.txt`);
  }
  for (const id of bodies) {
    const [channel = ''] = id.split('.');
    if (channel === 'email' && !Object.hasOwn(subjects, id))
      throw new FileProblem(`needs a subject for ${id}: "subjects": { "${id}": "…" } in template.json`);
    if (!bodies.has(channel)) throw new FileProblem(`has ${id}, but no ${channel} for everyone else`);
  }
}
