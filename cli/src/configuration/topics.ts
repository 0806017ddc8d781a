import { type Client, NotFoundError, type Topic } from '@carillon/sdk';
import { fieldsOf } from './json-file.ts';
import type { Files, Kind } from './kind.ts';
import { contentIn, readSingleFiles, singleFile } from './single-file.ts';

const name = 'topics';
const keyPattern = /^[a-z0-9][a-z0-9_.-]{0,99}$/;

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
    const found = await findTopic(client, key);
    return found && filesOf(found);
  },
  async write(client, key, files) {
    const { name: title, description = null } = contentIn(files) as Content;
    if (await findTopic(client, key)) await client.topics.replace(key, { name: title, description });
    else await client.topics.create({ key, name: title, description });
  },
  remove: (client, key) => client.topics.delete(key),
};

async function findTopic(client: Client, key: string): Promise<Topic | null> {
  try {
    return await client.topics.get(key);
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}

const filesOf = (topic: Topic): Files => singleFile(name, topic.key, contentOf(topic));

function contentOf({ name: title, description }: Pick<Topic, 'name' | 'description'>): Content {
  return { name: title, ...(description === null ? {} : { description }) };
}
