import type { Clock } from '../kernel/clock.ts';
import type { TaskRunner } from '../kernel/threads/task.ts';
import type {
  CallbackRequest,
  CallbackVerdict,
  Manifest,
  ProviderCarrier,
  ProviderConfig,
} from './contract.ts';
import * as mailgun from './email/providers/mailgun/index.ts';
import * as postmark from './email/providers/postmark/index.ts';
import * as resend from './email/providers/resend/index.ts';
import * as sendgrid from './email/providers/sendgrid/index.ts';
import * as ses from './email/providers/ses/index.ts';
import {
  completeConfig,
  createSmtpCarrier,
  smtpConfig,
  manifest as smtpManifest,
} from './email/providers/smtp/index.ts';
import type { Outbound } from './http.ts';
import type { NetworkPolicy } from './net.ts';
import { createSandboxCarrier, type SandboxStore, manifest as sandboxManifest } from './sandbox/index.ts';
import * as smsone from './sms/providers/smsone/index.ts';
import * as smstwo from './sms/providers/smstwo/index.ts';

/** Dependencies of a provider besides its own settings. */
export interface ProviderContext {
  policy: NetworkPolicy;
  clock: Clock;
  sandbox: SandboxStore;
  /** Runs the composition of large messages; on the calling thread when absent. */
  tasks?: TaskRunner | undefined;
  /** The HTTP client, for providers with an HTTP API. */
  outbound: Outbound;
  /** The name given to mail servers in EHLO; null when there is none. */
  smtpName: string | null;
}

export interface ProviderKind {
  manifest: Manifest;
  /** Checks rules that span several fields, and fills in defaults. */
  complete?(config: ProviderConfig): { config: ProviderConfig } | { field: string; problem: string };
  create(name: string, config: ProviderConfig, context: ProviderContext): ProviderCarrier;
  /** Verifies that a callback is the provider's own, and reads it. Absent when the provider makes no callbacks. */
  readCallback?(
    request: CallbackRequest,
    config: ProviderConfig,
    context: Pick<ProviderContext, 'clock' | 'outbound'>,
  ): Promise<CallbackVerdict> | CallbackVerdict;
}

/** Table: kind of provider → how it is configured and made. A new provider is a folder and a line here. */
export const emailProviders: Readonly<Record<string, ProviderKind>> = {
  smtp: {
    manifest: smtpManifest,
    complete: completeConfig,
    create: (name, config, { policy, tasks, smtpName }) =>
      createSmtpCarrier(name, smtpConfig(config), { policy, tasks, clientName: smtpName }),
  },
  ses: {
    manifest: ses.manifest,
    complete: ses.completeConfig,
    create: (name, config, context) => ses.createSesCarrier(name, ses.sesConfig(config), context),
    readCallback: ses.readCallback,
  },
  sendgrid: {
    manifest: sendgrid.manifest,
    complete: sendgrid.completeConfig,
    create: (name, config, context) =>
      sendgrid.createSendgridCarrier(name, sendgrid.sendgridConfig(config), context),
    readCallback: sendgrid.readCallback,
  },
  postmark: {
    manifest: postmark.manifest,
    complete: postmark.completeConfig,
    create: (name, config, context) =>
      postmark.createPostmarkCarrier(name, postmark.postmarkConfig(config), context),
    readCallback: postmark.readCallback,
  },
  resend: {
    manifest: resend.manifest,
    complete: resend.completeConfig,
    create: (name, config, context) => resend.createResendCarrier(name, resend.resendConfig(config), context),
    readCallback: resend.readCallback,
  },
  mailgun: {
    manifest: mailgun.manifest,
    complete: mailgun.completeConfig,
    create: (name, config, context) =>
      mailgun.createMailgunCarrier(name, mailgun.mailgunConfig(config), context),
    readCallback: mailgun.readCallback,
  },
  sandbox: {
    manifest: sandboxManifest,
    create: (name, _config, { sandbox, clock }) => createSandboxCarrier(name, sandbox, clock),
  },
};

/** The same table for text messages. */
export const smsProviders: Readonly<Record<'smsone' | 'smstwo', ProviderKind>> = {
  smsone: {
    manifest: smsone.manifest,
    complete: smsone.completeConfig,
    create: (name, config, context) => smsone.createSmsoneCarrier(name, smsone.smsoneConfig(config), context),
    readCallback: smsone.readCallback,
  },
  smstwo: {
    manifest: smstwo.manifest,
    complete: smstwo.completeConfig,
    create: (name, config, context) => smstwo.createSmstwoCarrier(name, smstwo.smstwoConfig(config), context),
    readCallback: smstwo.readCallback,
  },
};
