import type { Client, Workflow } from '@carillon/sdk';
import { CliError } from '../errors.ts';
import { isObject } from '../input.ts';
import { orNull } from './found.ts';
import { FileProblem, fieldsOf } from './json-file.ts';
import type { Files, Kind } from './kind.ts';
import { contentIn, readSingleFiles, singleFile } from './single-file.ts';

const name = 'workflows';
const keyPattern = /^(?!runs$)[a-z0-9_]{1,100}$/;

interface Content {
  name: string;
  description?: string;
  /** Only drafts say so: what lies in the folder is meant to run. */
  status?: 'draft';
  /** The active version; of a draft the latest, if it has one. */
  body?: Record<string, unknown>;
}

export const workflows: Kind = {
  name,
  removal: 'disable',
  read: (folder) =>
    readSingleFiles(folder, name, keyPattern, (value) => {
      const fields = fieldsOf(value, ['name', 'description', 'status', 'body']);
      const draft = fields.choice('status', ['active', 'draft'], 'active') === 'draft';
      const hasBody = value.body !== undefined || !draft;
      return contentOf(
        { name: fields.text('name', 200), description: fields.optionalText('description', 2000) },
        draft,
        hasBody ? checkedBody(fields.object('body'), draft) : null,
      );
    }),
  async *list(client) {
    for await (const workflow of client.workflows.list({ limit: 100 })) {
      if (workflow.status !== 'disabled') yield [workflow.key, await filesOf(client, workflow)];
    }
  },
  async find(client, key) {
    const workflow = await orNull(client.workflows.get(key));
    return workflow && workflow.status !== 'disabled' ? filesOf(client, workflow) : null;
  },
  write,
  remove: (client, key) => client.workflows.disable(key),
};

/**
 * Several calls, each whole by itself. Whatever was active stays so until the last one, which makes the new version the active one;
 * a version that an interrupted push left behind is used, not made again.
 */
async function write(client: Client, key: string, files: Files): Promise<void> {
  const { name, description = null, status, body } = contentIn(files) as Content;
  const there = await orNull(client.workflows.get(key));
  if (status === 'draft' && there && there.status !== 'draft')
    throw new CliError(`${key} is ${there.status} on the server and cannot become a draft again.`, {
      hint: 'Remove "status" from its file to activate it.',
    });
  if (!there) await client.workflows.create({ key, name, description });
  if (body !== undefined) {
    const version = await versionWith(client, key, there?.latest_version ?? null, body);
    if (status !== 'draft' && there?.active_version !== version) await activate(client, key, version);
  }
  if (there && (there.name !== name || there.description !== description))
    await client.workflows.update(key, { name, description: description ?? '' });
}

async function versionWith(
  client: Client,
  key: string,
  latest: number | null,
  body: Record<string, unknown>,
): Promise<number> {
  const body_json = JSON.stringify(body);
  const newest = latest === null ? null : await bodyOf(client, key, latest);
  if (latest !== null && JSON.stringify(newest) === body_json) return latest;
  return (await client.workflows.createVersion(key, { body_json })).version;
}

async function activate(client: Client, key: string, version: number): Promise<void> {
  const { valid, errors } = await client.workflows.activateVersion(key, version);
  if (valid) return;
  const listed = errors.map(
    ({ code, message, pointer }) => `${pointer || 'the whole'}: ${message} (${code})`,
  );
  throw new CliError(`${key} is not valid in this environment: ${listed.join('; ')}`);
}

async function bodyOf(client: Client, key: string, version: number): Promise<Record<string, unknown>> {
  return JSON.parse((await client.workflows.getVersion(key, version)).body_json);
}

async function filesOf(client: Client, workflow: Workflow): Promise<Files> {
  const { key, active_version, latest_version, status } = workflow;
  const version = active_version ?? latest_version;
  const body = version === null ? null : await bodyOf(client, key, version);
  return singleFile(name, key, contentOf(workflow, status === 'draft', body));
}

function contentOf(
  { name, description }: Pick<Workflow, 'name' | 'description'>,
  draft: boolean,
  body: Record<string, unknown> | null,
): Content {
  return {
    name,
    ...(description === null ? {} : { description }),
    ...(draft ? { status: 'draft' } : {}),
    ...(body === null ? {} : { body }),
  };
}

/** What the service would refuse for its shape alone; the rest it says when the version is made. Drafts may be half done. */
function checkedBody(body: Record<string, unknown>, isDraft: boolean): Record<string, unknown> {
  const { steps } = body;
  if (!Array.isArray(steps)) throw new FileProblem(': body.steps must be a list');
  const ids = new Set<string>();
  for (const [index, step] of steps.entries()) {
    if (!isObject(step) || typeof step.id !== 'string' || typeof step.kind !== 'string')
      throw new FileProblem(`: body.steps[${index}] must have an id and a kind`);
    if (!isDraft && ids.has(step.id)) throw new FileProblem(`: two steps have the id “${step.id}”`);
    ids.add(step.id);
  }
  return body;
}

/** A file without a body says that there is no version yet. */
export const hasVersion = (files: Files): boolean => (contentIn(files) as Content).body !== undefined;

/** The templates and categories that its sends name, as far as they are fixed. */
export function namedBy(files: Files): { templates: string[]; categories: string[] } {
  const { status, body } = contentIn(files) as Content;
  const steps = status === 'draft' ? [] : ((body?.steps ?? []) as Record<string, unknown>[]);
  const fixed = (field: string) =>
    steps.flatMap(({ kind, [field]: value }) =>
      kind === 'send' && typeof value === 'string' && !value.includes('{') ? [value] : [],
    );
  return { templates: fixed('template_key'), categories: fixed('category') };
}
