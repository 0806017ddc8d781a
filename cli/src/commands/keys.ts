import type { CreateApiKeyParams, CreateApiKeyResult } from '@carillon/sdk';
import { collect } from '../collect.ts';
import { type Context, command } from '../command.ts';
import { usageError } from '../errors.ts';
import { choiceOf, confirmed, numberOf } from '../input.ts';
import { plain, table } from '../style.ts';

const presets = ['full_access', 'send_only', 'read_only'] as const;

export const listKeys = command({
  name: 'keys list',
  summary: 'List the API keys of the environment',
  options: {},
  examples: [{ command: 'carillon keys list', says: 'list keys with scopes and last use' }],
  async run({ io, json, client }) {
    const keys = await collect(client().apiKeys.list({ limit: 100 }));
    if (json) return io.out(JSON.stringify(keys));
    const rows = keys.map((key) => [
      key.id,
      plain(key.name, 40),
      key.preset ?? key.scopes.join(' '),
      `…${key.last4}`,
      key.last_used_at ? `used ${key.last_used_at}` : 'never used',
      key.expires_at ? `expires ${key.expires_at}` : '',
    ]);
    io.out(rows.length > 0 ? table(rows) : 'No keys.');
  },
});

export const createKey = command({
  name: 'keys create',
  summary: 'Create an API key',
  details: 'The key is printed only once.',
  options: {
    name: { type: 'string', value: 'text', description: 'Purpose of the key' },
    preset: { type: 'string', value: 'preset', choices: presets, description: 'Access of the key' },
    scope: { type: 'string', value: 'scope', multiple: true, description: 'Scope, instead of a preset' },
    'expires-at': { type: 'string', value: 'time', description: 'ISO 8601 time. Default: never' },
  },
  examples: [
    {
      command: 'carillon keys create --name "web shop" --preset send_only',
      says: 'create a send-only key',
    },
    {
      command: 'carillon keys create --name ci --scope templates:read --scope templates:write',
      says: 'create a key with custom scopes',
    },
  ],
  async run(context, { name, preset, scope, 'expires-at': expires_at }) {
    if (name === undefined) throw usageError('A key needs a --name.');
    if ((preset === undefined) === (scope === undefined))
      throw usageError('Use either --preset or --scope.', `Presets: ${presets.join(', ')}.`);
    const params = {
      name,
      preset: choiceOf(preset, presets, '--preset'),
      scopes: scope as CreateApiKeyParams['scopes'], // the service knows them all, and says so
      expires_at,
    };
    show(context, await context.client().apiKeys.create(params));
  },
});

export const rotateKey = command({
  name: 'keys rotate',
  summary: 'Replace an API key',
  arguments: '<id>',
  takes: [1, 1],
  details: 'The new key is printed only once. The old key expires immediately, or after --grace.',
  options: {
    grace: { type: 'string', value: 'seconds', description: 'How long the old key stays valid' },
    yes: { type: 'boolean', short: 'y', description: 'Skip the confirmation' },
  },
  examples: [
    { command: 'carillon keys rotate 0198c3a1-… --grace 86400', says: 'keep the old key for one day' },
  ],
  async run(context, { grace, yes }, [id = '']) {
    const grace_seconds = numberOf(grace, '--grace', 0, 604_800);
    const ends = grace_seconds ? `in ${grace_seconds} seconds` : 'immediately';
    if (!(await confirmed(context.io, `The old key expires ${ends}. Continue?`, yes))) return;
    show(context, await context.client().apiKeys.rotate(id, { grace_seconds }));
  },
});

export const revokeKey = command({
  name: 'keys revoke',
  summary: 'Revoke an API key immediately',
  arguments: '<id>',
  takes: [1, 1],
  options: { yes: { type: 'boolean', short: 'y', description: 'Skip the confirmation' } },
  examples: [{ command: 'carillon keys revoke 0198c3a1-…', says: 'requests with the key are rejected' }],
  async run({ io, json, client }, { yes }, [id = '']) {
    if (!(await confirmed(io, `Requests with ${id} will be rejected. Revoke it?`, yes))) return;
    await client().apiKeys.revoke(id);
    io.out(json ? JSON.stringify({ id, revoked: true }) : `Revoked ${id}.`);
  },
});

function show({ io, json, style }: Context, key: CreateApiKeyResult) {
  if (json) return io.out(JSON.stringify(key));
  io.err(`${style('green', '✓')} ${plain(key.name)} (${key.id}). Shown only once:`);
  io.out(key.key);
}
