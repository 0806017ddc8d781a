import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '../input.ts';
import { FileProblem, fieldsOf, readJsonFile, readText } from './json-file.ts';
import type { FolderContent, LocalResource } from './kind.ts';
import { pushField, readPushRing } from './push-ring.ts';
import { collectProblem, keyPattern, readFolders } from './read-folder.ts';
import { bodyName, type Head, headOf, inOrder, name, partsOf, used, withoutBreak } from './template-files.ts';

const mostCharacters = 262_144;
const isTooLong = (text: string): boolean =>
  text.length > mostCharacters && [...text].length > mostCharacters;

export function readTemplates(folder: string): FolderContent {
  return readFolders(folder, name, 'template', (key, entries, content) =>
    readTemplate(folder, key, entries, content),
  );
}

function readTemplate(folder: string, key: string, entries: Dirent[], content: FolderContent): LocalResource {
  const files = new Map<string, string>();
  const bodies = new Set<string>();
  const paths: string[] = [];
  let head: Head | null = null;
  for (const entry of entries) {
    const path = `${name}/${key}/${entry.name}`;
    paths.push(path);
    if (entry.name === 'template.json') {
      head = collectProblem(content, path, () => readHead(join(folder, path), key));
      continue;
    }
    collectProblem(content, path, () => {
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
      if (isTooLong(text)) throw new FileProblem(`has more than ${mostCharacters} characters`);
      if (text === '') return;
      files.set(canonical, `${text}\n`);
      bodies.add(id);
    });
  }
  if (!paths.includes(`${name}/${key}/template.json`)) throw new FileProblem('has no template.json');
  const { name: called = '', subjects = {}, layouts = {}, push } = head ?? {};
  if (head) checkBodies(subjects, bodies);
  const bare = Object.keys(layouts).find((id) => !bodies.has(id));
  if (bare !== undefined) throw new FileProblem(`has a layout for ${bare}, but no file for it`);
  return {
    files: new Map([
      [
        `${name}/${key}/template.json`,
        headOf({ name: called, subjects, layouts, ...pushField(readPushRing(push)) }),
      ],
      ...inOrder(files),
    ]),
    paths,
  };
}

function readHead(path: string, key: string): Head {
  const value = readJsonFile(path);
  const fields = fieldsOf(value, ['key', 'name', 'subjects', 'layouts', 'push']);
  if ((value.key ?? key) !== key)
    throw new FileProblem(`says its key is “${String(value.key)}”, but the name of the folder is the key`);
  const subjects: Record<string, string> = {};
  for (const [id, subject] of Object.entries(isObject(value.subjects) ? fields.object('subjects') : {})) {
    const parts = partsOf(`${id}.txt`);
    if (!parts)
      throw new FileProblem(`: subjects.${id} is not a channel, or a channel and a locale (email.de)`);
    if (typeof subject !== 'string' || isTooLong(subject))
      throw new FileProblem(`: subjects.${id} must be a text`);
    if (!used[parts.channel].includes('subject')) throw new FileProblem(`: ${parts.channel} has no subject`);
    const canonical = bodyName(parts.channel, parts.locale);
    if (Object.hasOwn(subjects, canonical)) throw new FileProblem(`has two subjects for ${canonical}`);
    if (subject !== '') subjects[canonical] = subject;
  }
  if (value.subjects !== undefined && !isObject(value.subjects))
    throw new FileProblem(': subjects must be an object');
  return {
    name: fields.text('name', 200),
    subjects,
    layouts: readLayouts(value.layouts),
    ...pushField(readPushRing(value.push)),
  };
}

function readLayouts(value: unknown): Record<string, string> {
  if (value === undefined) return {};
  if (!isObject(value)) throw new FileProblem(': layouts must be an object');
  return Object.fromEntries(
    Object.entries(value).map(([id, layout]) => {
      const parts = partsOf(`${id}.txt`);
      if (!parts || typeof layout !== 'string' || !keyPattern.test(layout))
        throw new FileProblem(`: layouts.${id} must be the key of a layout for a channel (email, email.de)`);
      return [bodyName(parts.channel, parts.locale), layout];
    }),
  );
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
