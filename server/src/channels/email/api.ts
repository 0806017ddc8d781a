import { encodeWord } from 'nodemailer/lib/mime-funcs';
import {
  type ApiAnswer,
  type ApiContext,
  type ApiRequest,
  createApiCarrier,
  type ProviderApi,
} from '../api.ts';
import type { Outcome, ProviderCarrier } from '../contract.ts';
import type { AttachmentFile, EmailMessage } from '../message.ts';
import { outcomeOfStatus } from '../outcomes.ts';
import { envelopeAddress, utf8Addresses } from './address.ts';
import { attachmentType, customHeaders, mailbox, oneLine, withoutEncodedWords } from './mime.ts';

/** An email provider with an HTTP API. */
interface EmailApi extends Omit<ProviderApi<EmailMessage>, 'timeoutMs'> {
  /** The provider delivers to addresses outside ASCII (SMTPUTF8); as From or Reply-To no service accepts one. */
  takesUtf8Recipients?: true;
}

const sendTimeoutMs = 30_000;

export function createEmailApi(api: EmailApi, context: ApiContext): ProviderCarrier {
  const carrier = createApiCarrier<EmailMessage>(
    {
      ...api,
      timeoutMs: sendTimeoutMs,
      request: async (message) => withUserAgent(await api.request(message)),
      check: { ...api.check, request: () => withUserAgent(api.check.request()) },
    },
    context,
  );
  return {
    ...carrier,
    async send(message: EmailMessage, signal) {
      const [refused] = utf8Addresses(message).filter(
        (field) => !(field === 'to' && api.takesUtf8Recipients),
      );
      if (refused === undefined) return carrier.send(message, signal);
      const detail = `The service does not accept a ${refused} address with non-ASCII characters before the @.`;
      return { kind: 'rejected', detail, code: 'smtputf8' };
    },
  };
}

function withUserAgent(request: ApiRequest): ApiRequest {
  return { ...request, headers: { 'user-agent': 'Carillon/1.0', ...request.headers } };
}

/**
 * The provider's message, for people. Only an error in the provider's own form is repeated: a tenant chooses `base_url`, and
 * must not read the answers of another server there.
 */
export function messageIn(answer: ApiAnswer, message: string | null): string {
  return message === null ? `The service returned ${answer.status}.` : `${answer.status} ${message}`;
}

interface AnswerReading {
  detail: string;
  code: string | null;
  /** The delay, when it is not in Retry-After. */
  waitMs?: number | null;
}

/** Maps a status to an outcome where the provider gives the status no meaning of its own. */
export function outcomeByStatus(answer: ApiAnswer, { detail, code, waitMs }: AnswerReading): Outcome {
  const message = answer.status < 300 ? `${detail} The response is unexpected.` : detail;
  const retryAfterMs = answer.retryAfterMs ?? waitMs ?? null;
  return outcomeOfStatus(answer.status, { detail: message, code, retryAfterMs });
}

/** Checks a `base_url`; returns null when it can be used. */
export function baseUrlProblem(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const text = String(value);
  const url = /\s/.test(text) || !URL.canParse(text) ? null : new URL(text);
  if (!url || !['http:', 'https:'].includes(url.protocol)) return 'must be an http or https URL';
  if (url.username || url.password) return 'must not contain a user name or password';
  return url.search || url.hash ? 'must not have a query or a fragment' : null;
}

/** The URL of an operation, on the provider's own host or on the host of `base_url`. */
export function urlUnder(base: string, path: string): string {
  return base.replace(/\/+$/, '') + path;
}

export const baseUrlField = {
  name: 'base_url',
  type: 'text',
  meaning: 'Another base URL, for a region or a simulator.',
  required: false,
  max: 500,
} as const;

/** A message in the parts that providers with an HTTP API ask for. No part can break out of the header in which it ends up. */
export interface EmailParts {
  from: Mailbox;
  to: Mailbox;
  replyTo: string | null;
  subject: string;
  text: string;
  html: string | null;
  headers: [name: string, value: string][];
  attachments: AttachmentFile[];
}

export interface Mailbox {
  address: string;
  /** Empty when there is no name. */
  name: string;
}

/** Throws when a header cannot be set. */
export function partsOf(message: EmailMessage): EmailParts {
  return {
    from: wireMailbox(message.from),
    to: wireMailbox(message.to),
    replyTo: message.replyTo === null ? null : envelopeAddress(message.replyTo),
    subject: withoutEncodedWords(oneLine(message.subject)),
    text: message.text,
    html: message.html,
    headers: Object.entries(customHeaders(message.headers)),
    attachments: message.attachments.map(({ filename, contentType, bytes, contentId }) => ({
      filename: oneLine(filename) || 'attachment',
      contentType: attachmentType(contentType),
      bytes,
      contentId,
    })),
  };
}

export function wireMailbox(from: { address: string; name: string | null }): Mailbox {
  return { ...mailbox(from), address: envelopeAddress(from.address) };
}

/** `"Name" <address>`, quoted so that no character of the name separates, ends or begins anything (RFC 5322 3.2.4). */
export function mailboxText({ address, name }: Mailbox): string {
  return name === '' ? address : `${quoted(name)} <${address}>`;
}

/** The mailbox in ASCII alone, as in a header: other names become encoded words (RFC 2047). */
export function asciiMailboxText({ address, name }: Mailbox): string {
  return /\P{ASCII}/u.test(name)
    ? `${encodeWord(name, 'B', 52)} <${address}>`
    : mailboxText({ address, name });
}

export function quoted(name: string): string {
  return `"${name.replace(/["\\]/g, '\\$&')}"`;
}
