import { type Dirent, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, type Layout, NotFoundError } from '@carillon/sdk';
import { FileProblem, fieldsOf, pretty, readJsonFile, readText } from './json-file.ts';
import type { Files, FolderContent, Kind, LocalResource } from './kind.ts';
import { isIgnored } from './single-file.ts';
import { withoutBreak } from './template-files.ts';

const name = 'layouts';
const keyPattern = /^[a-z0-9][a-z0-9_.-]{0,99}$/;
const channels = ['email', 'in_app', 'sms', 'chatthree', 'webhook'] as const;
const fields = { 'layout.html': 'html_template', 'layout.txt': 'text_template' } as const;

type Content = Pick<Layout, 'channel' | 'is_default' | 'html_template' | 'text_template'>;

/** layouts/<key>/layout.json has the channel and whether it is the default; the templates are layout.html and layout.txt. */
export const layouts: Kind = {
  name,
  removal: 'delete',
  read,
  async *list(client) {
    for await (const layout of client.layouts.list({ limit: 100 }))
      yield [layout.key, filesOf(layout.key, layout)];
  },
  async find(client, key) {
    const found = await findLayout(client, key);
    return found && filesOf(key, found);
  },
  async write(client, key, files) {
    await client.layouts.put(key, contentOf(key, files));
  },
  remove: (client, key) => client.layouts.delete(key),
  // A new default takes the place of the old one, which therefore changes first.
  order: (changes) => [...changes].sort((one, other) => rank(one) - rank(other)),
};

const rank = ({ key, after }: { key: string; after: Files | null }): number =>
  after && contentOf(key, after).is_default ? 1 : 0;

async function findLayout(client: Client, key: string): Promise<Layout | null> {
  try {
    return await client.layouts.get(key);
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}

function filesOf(key: string, { channel, is_default, ...templates }: Content): Files {
  const files = new Map([[`${name}/${key}/layout.json`, pretty({ channel, is_default })]]);
  for (const [file, field] of Object.entries(fields))
    if (templates[field] !== '') files.set(`${name}/${key}/${file}`, `${templates[field]}\n`);
  return files;
}

function contentOf(key: string, files: Files): Content {
  const { channel, is_default } = JSON.parse(files.get(`${name}/${key}/layout.json`) ?? '{}');
  const text = (file: string): string => withoutBreak(files.get(`${name}/${key}/${file}`) ?? '');
  return { channel, is_default, html_template: text('layout.html'), text_template: text('layout.txt') };
}

function read(folder: string): FolderContent {
  const content: FolderContent = {
    exists: existsSync(join(folder, name)),
    resources: new Map(),
    problems: [],
  };
  if (!content.exists) return content;
  for (const entry of readdirSync(join(folder, name), { withFileTypes: true })) {
    if (isIgnored(entry)) continue;
    const path = `${name}/${entry.name}`;
    try {
      if (!entry.isDirectory())
        throw new FileProblem('is not a folder; a layout is a folder named after its key');
      if (!keyPattern.test(entry.name)) throw new FileProblem(`: “${entry.name}” cannot be a key`);
      const entries = readdirSync(join(folder, path), { withFileTypes: true }).filter(
        (each) => !isIgnored(each),
      );
      if (entries.length > 0) content.resources.set(entry.name, readLayout(folder, entry.name, entries));
    } catch (error) {
      if (!(error instanceof FileProblem)) throw error;
      content.problems.push({ path, message: error.message });
    }
  }
  return content;
}

function readLayout(folder: string, key: string, entries: Dirent[]): LocalResource {
  const paths = entries.map((entry) => `${name}/${key}/${entry.name}`);
  const strange = entries.find((entry) => entry.name !== 'layout.json' && !Object.hasOwn(fields, entry.name));
  if (strange) throw new FileProblem(`has ${strange.name}: expected layout.json, layout.html and layout.txt`);
  if (!entries.some((entry) => entry.name === 'layout.json')) throw new FileProblem('has no layout.json');
  const head = readJsonFile(join(folder, name, key, 'layout.json'));
  const given = fieldsOf(head, ['channel', 'is_default']);
  const text = (file: string): string =>
    entries.some((entry) => entry.name === file) ? withoutBreak(readText(join(folder, name, key, file))) : '';
  const content: Content = {
    channel: given.choice('channel', channels, 'email'),
    is_default: given.flag('is_default', false),
    html_template: text('layout.html'),
    text_template: text('layout.txt'),
  };
  return { files: filesOf(key, content), paths };
}
