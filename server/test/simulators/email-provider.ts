import { type HttpSimulator, type HttpSimulatorOptions, startHttpSimulator } from './http-simulator.ts';

/** An email as a simulated provider took it. */
export interface ReceivedEmail {
  /** The provider's id of it. */
  id: string;
  to: string;
  from: string;
  subject: string;
  /** What was sent along, and comes back with callbacks. */
  tags: Record<string, string>;
  /** The request: a JSON object, or the fields of a form. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever was sent and asserts on it
  request: any;
}

/** What a provider can tell about an email later. */
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

/** A call that a provider makes, ready to be made: as often, as late and in whichever order one likes. */
export interface CallbackCall {
  headers: Record<string, string>;
  body: string;
}

export interface CallbackOptions {
  /** When it is signed, in Unix milliseconds; now unless told. */
  at?: number;
}

export interface EmailProviderSimulator extends HttpSimulator {
  /** Everything taken, in order. */
  received: ReceivedEmail[];
  /** A callback about an email, signed. Each is another event. */
  callback(kind: CallbackKind, email: ReceivedEmail, options?: CallbackOptions): CallbackCall;
  /** Makes one and sends it; the status it is answered with. */
  emit(url: string, kind: CallbackKind, email: ReceivedEmail): Promise<number>;
}

export interface EmailProviderOptions extends Pick<HttpSimulatorOptions, 'port' | 'handle'> {
  /** A callback, as the provider words and signs it. */
  sign(kind: CallbackKind, email: ReceivedEmail, at: number): CallbackCall;
}

/**
 * What all simulated email providers can do. Over the wire a callback is asked for with `POST /__callback` and
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
