import { withVendor } from '../../src/kernel/vendors.ts';
import { startChatoneSimulator } from './chatone.ts';
import { startChatthreeSimulator } from './chatthree.ts';
import { startChattwoSimulator } from './chattwo.ts';
import { startHttpSimulator } from './http-simulator.ts';
import { startMailgunSimulator } from './mailgun.ts';
import { startPostmarkSimulator } from './postmark.ts';
import { startResendSimulator } from './resend.ts';
import { startSendgridSimulator } from './sendgrid.ts';
import { startSesSimulator } from './ses.ts';
import { startSmsoneSimulator } from './smsone.ts';
import { startSmstwoSimulator } from './smstwo.ts';
import { type Reply, startSmtpSimulator } from './smtp.ts';

/** A call to Carillon's API with a Live key; `{env}` in the path is the id of the Live environment. */
export interface Step {
  method: 'PUT' | 'POST';
  path: string;
  body: object;
}

/** A simulator that runs, and how to point Carillon at it. */
export interface Running {
  url: string;
  /** Where it is scripted: `POST …/__script`. */
  controlUrl: string;
  /** The name and body of a control call, as an example; the next call is never answered unless told. */
  control?: [name: string, body: object];
  /** Settings that Carillon itself has to be started with. */
  settings?: Record<string, string>;
  /** What makes Carillon use it. */
  steps: Step[];
  /** What to send then. */
  send: object;
  stop(): Promise<void>;
}

/** Told once for each message that arrives. */
export type OnMessage = (line: string) => void;

interface Entry {
  name: string;
  port: number;
  start(port: number, onMessage: OnMessage): Promise<Running>;
}

/** Why a simulator did not start, and what to do. */
export function whyNot(name: string, error: unknown): string {
  const { code, port, message } = error as { code?: string; port?: number; message: string };
  const why =
    code === 'EADDRINUSE'
      ? `port ${port} is taken by another program. Stop that program, or let the simulators take free ports: npm run simulators -- --free-ports`
      : message;
  return `${withVendor(name)} cannot start: ${why}`;
}

const smtpControlPort = 8_437;

/** Table: every simulator and its port. A new one is a line here. */
export const simulators: readonly Entry[] = [
  { name: 'smtp', port: 8_425, start: smtp },
  {
    name: 'ses',
    port: 8_426,
    start: email('ses', startSesSimulator, () => ({
      region: 'eu-west-1',
      access_key_id: 'AKIDSIMULATOR',
      secret_access_key: 'ses-simulator-secret',
      sns_topic_arn: 'arn:aws:sns:eu-west-1:123456789012:ses-events',
    })),
  },
  {
    name: 'sendgrid',
    port: 8_427,
    start: email('sendgrid', startSendgridSimulator, ({ publicKey }) => ({
      api_key: 'SG.simulator.key',
      webhook_public_key: publicKey,
    })),
  },
  {
    name: 'postmark',
    port: 8_428,
    start: email('postmark', startPostmarkSimulator, () => ({
      server_token: 'postmark-simulator-token',
      webhook_username: 'postmark',
      webhook_password: 'webhook-password',
    })),
  },
  {
    name: 'resend',
    port: 8_429,
    start: email('resend', startResendSimulator, ({ webhookSecret }) => ({
      api_key: 're_simulator_key',
      webhook_secret: webhookSecret,
    })),
  },
  {
    name: 'mailgun',
    port: 8_430,
    start: email('mailgun', startMailgunSimulator, () => ({
      api_key: 'key-mailgun-simulator',
      domain: 'mg.acme.example',
      webhook_signing_key: 'mailgun-signing-key',
    })),
  },
  { name: 'smsone', port: 8_431, start: smsone },
  { name: 'smstwo', port: 8_432, start: smstwo },
  { name: 'chatone', port: 8_433, start: chatone },
  { name: 'chattwo', port: 8_434, start: chattwo },
  { name: 'chatthree', port: 8_435, start: chatthree },
  { name: 'webhook', port: 8_436, start: webhook },
];

const emailSend = {
  channel: 'email',
  recipient: { address: 'ada@example.com' },
  subject: 'Hello',
  text_body: 'It rings.',
};
const smsSend = { channel: 'sms', recipient: { address: '+447700900123' }, text_body: 'It rings.' };

/** Whatever a simulator takes, it puts into a list: who watches the list hears of each. */
function watch<Item>(list: Item[], tell: (item: Item) => void): void {
  const push = list.push.bind(list);
  list.push = (...items) => {
    for (const item of items) tell(item);
    return push(...items);
  };
}

function emailSettings(kind: string, config: object): Step {
  const body = { from_address: 'hello@mg.acme.example', providers: [{ kind, config }] };
  return { method: 'PUT', path: '/v1/environments/{env}/email-settings', body };
}

interface EmailSimulator {
  url: string;
  received: { to: string; from: string; subject: string }[];
  stop(): Promise<void>;
}

function email<Simulator extends EmailSimulator>(
  kind: string,
  start: (options: { port: number }) => Promise<Simulator>,
  configOf: (simulator: Simulator) => object,
): Entry['start'] {
  return async (port, onMessage) => {
    const simulator = await start({ port });
    watch(simulator.received, ({ to, from, subject }) => onMessage(`${from} → ${to}: ${subject}`));
    return {
      url: simulator.url,
      controlUrl: simulator.url,
      steps: [emailSettings(kind, { ...configOf(simulator), base_url: simulator.url })],
      send: emailSend,
      stop: simulator.stop,
    };
  };
}

/** SMTP has no room for control calls: they go to a port of their own, `POST /__reply {"step", "code", "text"}`. */
async function smtp(port: number, onMessage: OnMessage): Promise<Running> {
  const simulator = await startSmtpSimulator({ port });
  const control = await startHttpSimulator({
    port: port === 0 ? 0 : smtpControlPort,
    handle: () => ({ status: 404, body: { controls: ['reply'] } }),
    controls: {
      reply({ step, code, text, fault }) {
        if (step !== 'mail' && step !== 'rcpt' && step !== 'message')
          throw new Error('step must be mail, rcpt or message');
        const isFault = fault === 'drop' || fault === 'hang';
        const reply: Reply = isFault ? fault : { code: Number(code), text: String(text ?? 'Refused') };
        simulator.script[step] = () => (isFault || typeof code === 'number' ? reply : null);
      },
    },
  });
  watch(simulator.received, ({ from, to }) => onMessage(`${from} → ${to.join(', ')}`));
  return {
    url: `smtp://127.0.0.1:${simulator.port}`,
    controlUrl: control.url,
    control: ['reply', { step: 'rcpt', code: 550, text: '5.1.1 No such user' }],
    steps: [emailSettings('smtp', { host: '127.0.0.1', port: simulator.port })],
    send: emailSend,
    stop: async () => {
      await Promise.all([simulator.stop(), control.stop()]);
    },
  };
}

const smsSettings = (body: object): Step => ({
  method: 'PUT',
  path: '/v1/environments/{env}/sms-settings',
  body,
});

async function smsone(port: number, onMessage: OnMessage): Promise<Running> {
  const simulator = await startSmsoneSimulator({
    port,
    onMessage: ({ sid, from, to, text }) => onMessage(`${from} → ${to}: ${text} (${sid})`),
  });
  return {
    url: simulator.url,
    controlUrl: simulator.url,
    settings: { CARILLON_SMSONE_API_URL: simulator.url },
    steps: [
      smsSettings({
        kind: 'smsone',
        from_number: '+14155550100',
        smsone_account_sid: simulator.accountSid,
        smsone_auth_token: simulator.authToken,
      }),
    ],
    send: smsSend,
    stop: simulator.stop,
  };
}

async function smstwo(port: number, onMessage: OnMessage): Promise<Running> {
  const simulator = await startSmstwoSimulator({
    port,
    signatureSecret: 'smstwo-signature-secret',
    onMessage: ({ id, from, to, text }) => onMessage(`${from} → ${to}: ${text} (${id})`),
  });
  return {
    url: simulator.url,
    controlUrl: simulator.url,
    settings: { CARILLON_SMSTWO_API_URL: simulator.url },
    steps: [
      smsSettings({
        kind: 'smstwo',
        from_number: '+14155550100',
        smstwo_api_key: simulator.apiKey,
        smstwo_api_secret: simulator.apiSecret,
        smstwo_signature_secret: 'smstwo-signature-secret',
      }),
    ],
    send: smsSend,
    stop: simulator.stop,
  };
}

function template(channel: string, structured: object): Step {
  const key = `hello-${channel}`;
  const bodies = [{ channel, structured_template: JSON.stringify(structured), text_template: 'It rings.' }];
  return { method: 'POST', path: '/v1/templates', body: { key, name: `Hello, ${channel}`, bodies } };
}

async function chatone(port: number, onMessage: OnMessage): Promise<Running> {
  const simulator = await startChatoneSimulator({ port });
  const { token } = simulator.addToken({ token: 'xoxb-simulator-token' });
  simulator.addChannel('C0GENERAL');
  watch(simulator.posts, ({ channel, text }) => onMessage(`→ ${channel}: ${text}`));
  return {
    url: simulator.url,
    controlUrl: simulator.url,
    settings: {
      CARILLON_CHATONE_API_URL: simulator.apiUrl,
      CARILLON_CHATONE_AUTHORIZE_URL: simulator.authorizeUrl,
      CARILLON_CHATONE_CLIENT_ID: simulator.clientId,
      CARILLON_CHATONE_CLIENT_SECRET: simulator.clientSecret,
      CARILLON_CHATONE_SIGNING_SECRET: simulator.signingSecret,
    },
    steps: [
      { method: 'POST', path: '/v1/chatone/installations', body: { bot_token: token } },
      template('chatone', [{ type: 'section', text: { type: 'mrkdwn', text: 'It rings.' } }]),
    ],
    send: {
      channel: 'chatone',
      recipient: { chatone_channel_id: 'C0GENERAL' },
      template_key: 'hello-chatone',
    },
    stop: simulator.stop,
  };
}

async function chattwo(port: number, onMessage: OnMessage): Promise<Running> {
  const simulator = await startChattwoSimulator({ port });
  watch(simulator.runs, ({ flow, result }) => onMessage(`→ ${flow}: card ${result}`));
  const card = { type: 'AdaptiveCard', version: '1.5', body: [{ type: 'TextBlock', text: 'It rings.' }] };
  return {
    url: simulator.url,
    controlUrl: simulator.url,
    settings: { CARILLON_CHATTWO_URL_PATTERNS: simulator.patterns },
    steps: [
      {
        method: 'POST',
        path: '/v1/chattwo-endpoints',
        body: { label: 'Simulator', key: 'simulator', webhook_url: simulator.addFlow().url },
      },
      template('chattwo', card),
    ],
    send: { channel: 'chattwo', recipient: { endpoint: 'simulator' }, template_key: 'hello-chattwo' },
    stop: simulator.stop,
  };
}

async function chatthree(port: number, onMessage: OnMessage): Promise<Running> {
  const simulator = await startChatthreeSimulator({ port });
  watch(simulator.posts, ({ webhook }) => onMessage(`→ ${webhook}: posted`));
  return {
    url: simulator.url,
    controlUrl: simulator.url,
    settings: { CARILLON_CHATTHREE_URL_PATTERNS: simulator.patterns },
    steps: [
      {
        method: 'POST',
        path: '/v1/chatthree-endpoints',
        body: { label: 'Simulator', key: 'simulator', webhook_url: simulator.addWebhook().url },
      },
      template('chatthree', { title: 'It rings.' }),
    ],
    send: { channel: 'chatthree', recipient: { endpoint: 'simulator' }, template_key: 'hello-chatthree' },
    stop: simulator.stop,
  };
}

/** Somebody's webhook receiver. */
async function webhook(port: number, onMessage: OnMessage): Promise<Running> {
  const simulator = await startHttpSimulator({
    port,
    handle({ method, path, text }) {
      onMessage(`${method} ${path} ${text.slice(0, 120)}`);
      return { status: 204 };
    },
  });
  const endpoint = { url: `${simulator.url}/events`, event_filters: [] };
  return {
    url: simulator.url,
    controlUrl: simulator.url,
    steps: [{ method: 'POST', path: '/v1/webhook-endpoints', body: endpoint }],
    send: { channel: 'webhook', recipient: { address: `${simulator.url}/notify` }, text_body: 'It rings.' },
    stop: simulator.stop,
  };
}
