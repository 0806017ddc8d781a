import type { Topic } from '@carillon/sdk';
import { orNull } from './found.ts';
import { fieldsOf } from './json-file.ts';
import type { Files, Kind } from './kind.ts';
import { keyPattern } from './read-folder.ts';
import { contentIn, readSingleFiles, singleFile } from './single-file.ts';

const name = 'topics';

interface Content {
  name: string;
  description?: string;
}

/** Topics without their subscribers, which belong to the application. */
export const topics: Kind = {
  name,
  removal: 'delete',
  read: (folder) =>
    readSingleFiles(folder, name, keyPattern, (value) => {
      const fields = fieldsOf(value, ['name', 'description']);
      return contentOf({
        name: fields.text('name', 200),
        description: fields.optionalText('description', 1000),
      });
    }),
  async *list(client) {
    for await (const topic of client.topics.list({ limit: 100 })) yield [topic.key, filesOf(topic)];
  },
  async find(client, key) {
    const found = await orNull(client.topics.get(key));
    return found && filesOf(found);
  },
  async write(client, key, files) {
    const { name: title, description = null } = contentIn(files) as Content;
    if (await orNull(client.topics.get(key))) await client.topics.replace(key, { name: title, description });
    else await client.topics.create({ key, name: title, description });
  },
  remove: (client, key) => client.topics.delete(key),
};

const filesOf = (topic: Topic): Files => singleFile(name, topic.key, contentOf(topic));

function contentOf({ name: title, description }: Pick<Topic, 'name' | 'description'>): Content {
  return { name: title, ...(description === null ? {} : { description }) };
}
