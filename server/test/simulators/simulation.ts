import type { Outcome, ProviderConfig } from '../../src/channels/contract.ts';
import type { CallbackCall, EmailProviderSimulator, ReceivedEmail } from './email-provider.ts';
import type { Answer, HttpSimulator } from './http-simulator.ts';

/**
 * A provider's simulator, and the facts about the provider that the conformance tests need: a new provider is examined once its
 * simulation is in a table of all.ts.
 */
export interface Simulation<Simulator extends HttpSimulator> {
  kind: string;
  /** The name in `npm run simulators`, when it is not the kind. */
  name?: string;
  /** The port in `npm run simulators`. */
  port: number;
  /** Starts the simulator with credentials of `secretFor`, and returns the settings of the provider, those for callbacks included. */
  start(options: StartOptions): Promise<{ simulator: Simulator; config: ProviderConfig }>;
  /** The settings that lead to a host, when it is not the base URL of the kind. */
  settingsFor?(url: string): ProviderConfig;
  /** The setting that authenticates each call. */
  credential: string;
  /** The provider recognizes a message that it was given before. */
  idempotent: boolean;
  /** The body of a refusal with this text. */
  errorBody(text: string): object;
  /** A row for each class of errors that the provider documents. */
  refusals: readonly Refusal<{ simulator: Simulator }>[];
}

interface StartOptions {
  /** 0 stands for a free port. */
  port: number;
  /** Makes up the value of a secret setting, in at least 40 hexadecimal digits; called once for each secret setting. */
  secretFor(field: string): string;
}

/** A refusal of the provider's own, and its outcome. */
export interface Refusal<Bench> {
  title: string;
  provoke(bench: Bench): void;
  outcome: Partial<Outcome> & Pick<Outcome, 'kind'>;
}

/** Makes the provider answer every call like this. */
export function says(answer: Answer): (bench: { simulator: HttpSimulator }) => void {
  return ({ simulator }) => {
    simulator.fault = answer;
  };
}

export interface EmailSimulation<Simulator extends EmailProviderSimulator = EmailProviderSimulator>
  extends Simulation<Simulator> {
  /** The provider delivers to addresses outside ASCII. */
  takesUtf8Recipients?: true;
  /** Reads a request that the provider took, in the terms of the message. */
  read(request: ReceivedEmail['request']): SeenEmail | Promise<SeenEmail>;
  /** Null when the provider makes no callbacks. */
  callbacks: CallbackFacts | null;
}

/** A message with everything in it, as it reached a provider. */
export interface SeenEmail {
  from: string;
  to: string;
  replyTo: string;
  subject: string;
  text: string;
  html: string;
  headers: Record<string, string>;
  attachments: { filename: string; contentType: string; bytes: Buffer; contentId?: string }[];
  tags: Record<string, string>;
}

/** How a provider signs its callbacks. */
export interface CallbackFacts {
  /** The setting without which nothing can be verified. */
  needs: string;
  /** A value of that setting that another account would have. */
  foreign(): string;
  /** Spoils the signature. */
  forge(call: CallbackCall): CallbackCall;
  /** The signature covers the body. */
  signsBody: boolean;
  /** The age at which a call is still accepted, and one at which it is refused; null when the provider signs no time. */
  age: { takenMs: number; refusedMs: number } | null;
}

/** The call with another value in a header. */
export function withHeader({ headers, body }: CallbackCall, name: string, value: string): CallbackCall {
  return { headers: { ...headers, [name]: value }, body };
}

export interface SmsSimulator extends HttpSimulator {
  /** Everything accepted, in order. */
  received: ReceivedSms[];
  /** Reports the status of a message; resolves to the status of the answer. */
  receipt(
    message: ReceivedSms,
    status: string,
    errorCode?: undefined,
    changes?: { signature?: string | null },
  ): Promise<number>;
}

export interface ReceivedSms {
  from: string;
  to: string;
  text: string;
}

export interface SmsSimulation<Simulator extends SmsSimulator = SmsSimulator> extends Simulation<Simulator> {
  /** The provider's id of a message that it accepted. */
  idOf(message: Simulator['received'][number]): string;
}
