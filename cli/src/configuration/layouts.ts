import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import type { Layout } from '@carillon/sdk';
import { orNull } from './found.ts';
import { FileProblem, fieldsOf, pretty, readJsonFile, readText } from './json-file.ts';
import type { Files, Kind, LocalResource } from './kind.ts';
import { readFolders } from './read-folder.ts';
import { withoutBreak } from './template-files.ts';

const name = 'layouts';
const channels = ['email', 'in_app', 'sms', 'chatthree', 'webhook'] as const;
const fields = { 'layout.html': 'html_template', 'layout.txt': 'text_template' } as const;

type Content = Pick<Layout, 'channel' | 'is_default' | 'html_template' | 'text_template'>;

/** layouts/<key>/layout.json has the channel and whether it is the default; the templates are layout.html and layout.txt. */
export const layouts: Kind = {
  name,
  removal: 'delete',
  read: (folder) => readFolders(folder, name, 'layout', (key, entries) => readLayout(folder, key, entries)),
  async *list(client) {
    for await (const layout of client.layouts.list({ limit: 100 }))
      yield [layout.key, filesOf(layout.key, layout)];
  },
  async find(client, key) {
    const found = await orNull(client.layouts.get(key));
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
