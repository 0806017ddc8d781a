import type { EmailMessage, ProviderCarrier, ProviderConfig } from '../../src/channels/contract.ts';
import { createMailgunCarrier } from '../../src/channels/email/providers/mailgun/carrier.ts';
import { mailgunConfig } from '../../src/channels/email/providers/mailgun/manifest.ts';
import { createPostmarkCarrier } from '../../src/channels/email/providers/postmark/carrier.ts';
import { postmarkConfig } from '../../src/channels/email/providers/postmark/manifest.ts';
import { createResendCarrier } from '../../src/channels/email/providers/resend/carrier.ts';
import { resendConfig } from '../../src/channels/email/providers/resend/manifest.ts';
import { createSendgridCarrier } from '../../src/channels/email/providers/sendgrid/carrier.ts';
import { sendgridConfig } from '../../src/channels/email/providers/sendgrid/manifest.ts';
import { createSesCarrier } from '../../src/channels/email/providers/ses/carrier.ts';
import { sesConfig } from '../../src/channels/email/providers/ses/manifest.ts';
import { createOutbound, type Outbound } from '../../src/channels/http.ts';
import type { EmailProviderSimulator } from '../simulators/email-provider.ts';
import { type MailgunSimulator, startMailgunSimulator } from '../simulators/mailgun.ts';
import { type PostmarkSimulator, startPostmarkSimulator } from '../simulators/postmark.ts';
import { type ResendSimulator, startResendSimulator } from '../simulators/resend.ts';
import { type SendgridSimulator, startSendgridSimulator } from '../simulators/sendgrid.ts';
import { type SesSimulator, startSesSimulator } from '../simulators/ses.ts';
import { type Bench, idNumber, wrongSecret } from './exam.ts';
import { provokeHttp } from './http-bench.ts';

export interface EmailBench<Simulator extends EmailProviderSimulator = EmailProviderSimulator> extends Bench {
  simulator: Simulator;
  /** As it would be configured, with everything that callbacks need. */
  config: ProviderConfig;
  outbound: Outbound;
}

export function emailMessage(changes: Partial<EmailMessage> = {}): EmailMessage {
  return {
    channel: 'email',
    notificationId: idNumber(1),
    environmentId: '0198aaaa-0000-7000-8000-00000000000e',
    attempt: 1,
    to: { address: 'ada@example.com', name: 'Ada' },
    from: { address: 'no-reply@acme.example', name: 'Acme' },
    replyTo: null,
    subject: 'Hello',
    html: '<p>Hello</p>',
    text: 'Hello',
    attachments: [],
    headers: {},
    ...changes,
  };
}

interface Setting<Simulator> {
  simulator: Simulator;
  config: ProviderConfig;
  /** The field that `wrong` spoils. */
  secret: string;
  create(
    config: ProviderConfig,
    context: { outbound: Outbound; clock: () => number; timeoutMs?: number },
  ): ProviderCarrier;
}

function benchOf<Simulator extends EmailProviderSimulator>({
  simulator,
  config,
  secret,
  create,
}: Setting<Simulator>): EmailBench<Simulator> {
  const outbound = createOutbound({ policy: 'loopback' });
  return {
    simulator,
    config,
    outbound,
    carrier({ wrong, unreachable, timeoutMs } = {}) {
      const settings = {
        ...config,
        ...(wrong ? { [secret]: wrongSecret } : {}),
        ...(unreachable ? { base_url: 'http://127.0.0.1:1' } : {}),
      };
      return create(settings, { outbound, clock: Date.now, ...(timeoutMs ? { timeoutMs } : {}) });
    },
    message: emailMessage,
    taken: () => simulator.received.length,
    provoke: (mishap) => provokeHttp(simulator, mishap),
    recover() {
      simulator.fault = null;
    },
    hung: () => simulator.hung(),
    echo(text) {
      simulator.fault = {
        status: 400,
        body: { message: text, Message: text, name: text, ErrorCode: 300, errors: [{ message: text }] },
      };
    },
    secret: String(config[secret]),
    async stop() {
      await outbound.stop();
      await simulator.stop();
    },
  };
}

export async function sesBench(): Promise<EmailBench<SesSimulator>> {
  const simulator = await startSesSimulator({ secretAccessKey: 'planted-ses-secret' });
  return benchOf({
    simulator,
    config: {
      region: 'eu-west-1',
      access_key_id: 'AKIDSIMULATOR',
      secret_access_key: 'planted-ses-secret',
      configuration_set: 'events',
      sns_topic_arn: simulator.sns.topicArn,
      base_url: simulator.url,
    },
    secret: 'secret_access_key',
    create: (config, context) => createSesCarrier('ses', sesConfig(config), context),
  });
}

export async function sendgridBench(): Promise<EmailBench<SendgridSimulator>> {
  const simulator = await startSendgridSimulator({ apiKey: 'SG.planted.secret' });
  return benchOf({
    simulator,
    config: {
      api_key: 'SG.planted.secret',
      webhook_public_key: simulator.publicKey,
      base_url: simulator.url,
    },
    secret: 'api_key',
    create: (config, context) => createSendgridCarrier('sendgrid', sendgridConfig(config), context),
  });
}

export async function postmarkBench(): Promise<EmailBench<PostmarkSimulator>> {
  const webhookUser = { username: 'postmark', password: 'planted-password' };
  const simulator = await startPostmarkSimulator({ serverToken: 'planted-token', webhookUser });
  return benchOf({
    simulator,
    config: {
      server_token: 'planted-token',
      message_stream: null,
      webhook_username: webhookUser.username,
      webhook_password: webhookUser.password,
      base_url: simulator.url,
    },
    secret: 'server_token',
    create: (config, context) => createPostmarkCarrier('postmark', postmarkConfig(config), context),
  });
}

export async function resendBench(): Promise<EmailBench<ResendSimulator>> {
  const simulator = await startResendSimulator({ apiKey: 're_planted_secret' });
  return benchOf({
    simulator,
    config: {
      api_key: 're_planted_secret',
      webhook_secret: simulator.webhookSecret,
      base_url: simulator.url,
    },
    secret: 'api_key',
    create: (config, context) => createResendCarrier('resend', resendConfig(config), context),
  });
}

export async function mailgunBench(): Promise<EmailBench<MailgunSimulator>> {
  const simulator = await startMailgunSimulator({
    apiKey: 'key-planted',
    domain: 'mg.acme.example',
    signingKey: 'planted-signing-key',
  });
  return benchOf({
    simulator,
    config: {
      api_key: 'key-planted',
      domain: 'mg.acme.example',
      region: 'us',
      webhook_signing_key: 'planted-signing-key',
      base_url: simulator.url,
    },
    secret: 'api_key',
    create: (config, context) => createMailgunCarrier('mailgun', mailgunConfig(config), context),
  });
}
