import { type HttpSimulator, type HttpSimulatorOptions, startHttpSimulator } from './http-simulator.ts';

/** An email that a simulated provider accepted. */
export interface ReceivedEmail {
  /** The provider's id of the email. */
  id: string;
  to: string;
  from: string;
  subject: string;
  /** The ids that were sent along, and come back with callbacks. */
  tags: Record<string, string>;
  /** The request: a JSON object, or the fields of a form. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any part of the request and asserts on it
  request: any;
}

/** The later events of an email. */
export const callbackKinds = [
  'delivered',
  'delayed',
  'bounced',
  'soft_bounced',
  'complained',
  'opened',
  'clicked',
] as const;
export type CallbackKind = (typeof callbackKinds)[number];

/** A callback that is ready to be sent: as often, as late and in any order that a test needs. */
export interface CallbackCall {
  headers: Record<string, string>;
  body: string;
}

export interface CallbackOptions {
  /** The time of the signature, in Unix milliseconds; now when absent. */
  at?: number;
}

export interface EmailProviderSimulator extends HttpSimulator {
  /** Everything accepted, in order. */
  received: ReceivedEmail[];
  /** A signed callback about an email. Each call makes a new event. */
  callback(kind: CallbackKind, email: ReceivedEmail, options?: CallbackOptions): CallbackCall;
  /** Makes a callback and sends it; resolves to the status of the answer. */
  emit(url: string, kind: CallbackKind, email: ReceivedEmail): Promise<number>;
}

interface EmailProviderOptions extends Pick<HttpSimulatorOptions, 'port' | 'handle'> {
  /** A callback in the provider's form, signed. */
  sign(kind: CallbackKind, email: ReceivedEmail, at: number): CallbackCall;
}

/**
 * The common part of simulated email providers. Over the wire a callback is requested with `POST /__callback` and
 * `{"url", "kind", "notification_id"}`.
 */
export async function startEmailProvider({
  port,
  handle,
  sign,
}: EmailProviderOptions): Promise<EmailProviderSimulator> {
  const received: ReceivedEmail[] = [];
  const emit = (url: string, kind: CallbackKind, email: ReceivedEmail): Promise<number> =>
    postCallback(url, sign(kind, email, Date.now()));
  const server = await startHttpSimulator({
    ...(port === undefined ? {} : { port }),
    handle,
    controls: {
      async callback({ url, kind, notification_id: id }) {
        const email = received.findLast(({ tags }) => tags.notification_id === id);
        const known = callbackKinds.find((name) => name === kind);
        if (!email || !known)
          throw new Error(`no email with that notification_id, or not one of ${callbackKinds}`);
        return { status: await emit(String(url), known, email) };
      },
    },
  });
  return Object.assign(server, {
    received,
    callback: (kind: CallbackKind, email: ReceivedEmail, { at = Date.now() }: CallbackOptions = {}) =>
      sign(kind, email, at),
    emit,
  });
}

export async function postCallback(url: string, { headers, body }: CallbackCall): Promise<number> {
  const response = await fetch(url, { method: 'POST', headers, body });
  await response.arrayBuffer();
  return response.status;
}

/** The address within `Name <address>`. */
export function addressIn(mailbox: string): string {
  return /<([^<>]+)>\s*$/.exec(mailbox)?.[1] ?? mailbox.trim();
}

export function isAddress(text: unknown): boolean {
  return typeof text === 'string' && /^[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>"]+$/.test(addressIn(text));
}

/** For services that do not speak SMTPUTF8. */
export function isAsciiAddress(text: unknown): boolean {
  return isAddress(text) && !/\P{ASCII}/u.test(addressIn(String(text)));
}
