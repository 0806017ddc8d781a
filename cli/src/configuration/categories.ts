import type { Category } from '@carillon/sdk';
import { channels } from '../channels.ts';
import { orNull } from './found.ts';
import { fieldsOf } from './json-file.ts';
import type { Files, Kind } from './kind.ts';
import { pushField, readPushRing } from './push-ring.ts';
import { keyPattern } from './read-folder.ts';
import { contentIn, readSingleFiles, singleFile } from './single-file.ts';

const name = 'categories';

type Content = Pick<Category, 'name' | 'default_channels' | 'default_opt_in' | 'is_critical'> & {
  description?: string;
  push?: { mode: string; after_seconds?: number };
};

export const categories: Kind = {
  name,
  removal: 'archive',
  read: (folder) =>
    readSingleFiles(folder, name, keyPattern, (value) => {
      const fields = fieldsOf(value, [
        'name',
        'description',
        'is_critical',
        'default_channels',
        'default_opt_in',
        'push',
      ]);
      return contentOf({
        name: fields.text('name', 200),
        description: fields.optionalText('description', 1000),
        is_critical: fields.flag('is_critical', false),
        default_channels: fields.choices('default_channels', channels),
        default_opt_in: fields.flag('default_opt_in', true),
        push: readPushRing(value.push),
      });
    }),
  async *list(client) {
    for await (const category of client.categories.list({ limit: 100 }))
      yield [category.key, filesOf(category)];
  },
  async find(client, key) {
    const found = await orNull(client.categories.get(key));
    return found && !found.is_archived ? filesOf(found) : null;
  },
  async write(client, key, files) {
    const { description = null, push, ...content } = contentIn(files) as Content;
    const wanted = { ...content, description, push: readPushRing(push) };
    if (await orNull(client.categories.get(key)))
      await client.categories.replace(key, { ...wanted, is_archived: false });
    else await client.categories.create({ key, ...wanted });
  },
  remove: (client, key) => client.categories.archive(key),
};

const filesOf = (category: Category): Files => singleFile(name, category.key, contentOf(category));

function contentOf(category: Omit<Category, 'id' | 'key' | 'is_archived'>): Content {
  return {
    name: category.name,
    ...(category.description === null ? {} : { description: category.description }),
    is_critical: category.is_critical,
    default_channels: category.default_channels,
    default_opt_in: category.default_opt_in,
    ...pushField(category.push),
  };
}

/** It can be chosen at creation only. */
export const isCritical = (files: Files): boolean => (contentIn(files) as Content).is_critical;
