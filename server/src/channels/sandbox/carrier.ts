import { setTimeout as wait } from 'node:timers/promises';
import { isDatabaseUnavailable, type Pool, statement } from '../../db/sql.ts';
import { createBatcher } from '../../kernel/batcher.ts';
import type { Clock } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import type { Manifest, Message, ProviderCarrier } from '../contract.ts';
import type { ProviderKind, SandboxStore } from '../provider.ts';
import { accepted, delivered, type SandboxAnswer } from '../sandbox-answer.ts';
import { channelSpecs } from '../specs.ts';
import { storedPayload } from './payload.ts';

const manifest = {
  kind: 'sandbox',
  channel: 'email',
  title: 'Sandbox',
  fields: [],
} as const satisfies Manifest;

const insertMessages = statement(
  'sandbox_insert_messages',
  `insert into sandbox_messages
     (environment_id, id, notification_id, channel, provider, recipient, payload, payload_bytes, from_content)
   select environment_id, id, notification_id, channel, provider, recipient, payload, octet_length(payload::text), from_content
   from json_to_recordset($1::json) as m(environment_id uuid, id uuid, notification_id uuid, channel text,
     provider text, recipient text, payload json, from_content text[])
   on conflict (notification_id, provider) do nothing`,
);

/** Rows are stored as JSON texts, written in micro-batches. One store serves every sandbox carrier of a process. */
export function createSandboxStore(pool: Pool): SandboxStore {
  return createBatcher(
    async (rows) => {
      await insertMessages(pool, [`[${rows.join(',')}]`]);
      return rows.map(() => undefined);
    },
    { concurrency: 2, maxItems: 500, weigh: (row) => row.length, maxWeight: 1_000_000 },
  );
}

/**
 * The carrier of every Test send: the message is stored, and the recipient's address decides the outcome. Storing it twice has
 * the effect of once, so an attempt cut short by a crash is simply repeated.
 */
export function createSandboxCarrier(name: string, store: SandboxStore, clock: Clock): ProviderCarrier {
  return {
    name,
    kind: 'sandbox',
    idempotent: true,
    isLocal: true,
    async send(message, signal) {
      const { outcome, afterMs } = sandboxAnswer(message);
      // Content can be edited before a message is sent again; the sandbox goes on showing what it got.
      const content = outcome.kind === 'accepted' ? message.storedContent : undefined;
      const row = {
        id: newId(clock()),
        environment_id: message.environmentId,
        notification_id: message.notificationId,
        channel: message.channel,
        provider: name,
        recipient: message.to.address,
        ...storedPayload(message, clock(), content),
      };
      try {
        await store.add(JSON.stringify(row));
        if (afterMs > 0) await wait(afterMs, undefined, { signal });
      } catch (error) {
        if (signal.aborted)
          return { kind: 'retry', detail: 'Stopped before the sandbox answered.', code: 'stopped' };
        if (!isDatabaseUnavailable(error)) throw error;
        return {
          kind: 'retry',
          detail: 'The sandbox cannot keep the message: no database.',
          code: 'database',
        };
      }
      return outcome;
    },
    verify: async () => ({ ok: true, detail: 'The sandbox is built in.' }),
    close: async () => {},
  };
}

export const provider: ProviderKind = {
  manifest,
  create: (name, _config, { sandbox, clock }) => createSandboxCarrier(name, sandbox, clock),
};

/** The sandbox's answer: the magic recipients of a channel have their own, and to all others it delivers. */
export function sandboxAnswer(message: Message): SandboxAnswer {
  return channelSpecs[message.channel].sandbox.answerTo?.(message) ?? accepted([delivered]);
}
