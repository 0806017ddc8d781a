import { withVendor } from '../../src/kernel/vendors.ts';
import { startChatoneSimulator } from './chatone.ts';
import { startChatthreeSimulator } from './chatthree.ts';
import { startChattwoSimulator } from './chattwo.ts';
import { httpEmail } from './http-email.ts';
import { startHttpSimulator } from './http-simulator.ts';
import { httpSms } from './http-sms.ts';
import { mailgun } from './mailgun.ts';
import { postmark } from './postmark.ts';
import { pushSimulators } from './push.ts';
import { resend } from './resend.ts';
import type { Entry, OnMessage, Running, Step } from './running.ts';
import { secretOf } from './secret.ts';
import { sendgrid } from './sendgrid.ts';
import { ses } from './ses.ts';
import type { EmailSimulation, SmsSimulation } from './simulation.ts';
import { smsone } from './smsone.ts';
import { smstwo } from './smstwo.ts';
import { type Reply, startSmtpSimulator } from './smtp.ts';

export type { Running, Step } from './running.ts';

/** The sentence for a simulator that did not start: the reason, and what to do. */
export function whyNot(name: string, error: unknown): string {
  const { code, port, message } = error as { code?: string; port?: number; message: string };
  const why =
    code === 'EADDRINUSE'
      ? `port ${port} is taken by another program. Stop that program, or let the simulators use free ports: npm run simulators -- --free-ports`
      : message;
  return `${withVendor(name)} cannot start: ${why}`;
}

const smtpControlPort = 8_437;

/** Table: the simulated email providers with an HTTP API. A new one is a line here. */
export const emailSimulations: readonly EmailSimulation[] = [
  ses,
  sendgrid,
  postmark,
  resend,
  mailgun,
  httpEmail,
];

/** The same table for text messages. */
export const smsSimulations: readonly SmsSimulation[] = [smsone, smstwo, httpSms];

/** Table: every simulator and its port. */
export const simulators: readonly Entry[] = [
  { name: 'smtp', port: 8_425, start: smtp },
  ...emailSimulations.map(emailEntry),
  ...smsSimulations.map(smsEntry),
  { name: 'chatone', port: 8_433, start: chatone },
  { name: 'chattwo', port: 8_434, start: chattwo },
  { name: 'chatthree', port: 8_435, start: chatthree },
  { name: 'webhook', port: 8_436, start: webhook },
  ...pushSimulators,
];

const emailSend = {
  channel: 'email',
  recipient: { address: 'ada@example.com' },
  subject: 'Hello',
  text_body: 'Hello from Carillon.',
};
const smsSend = {
  channel: 'sms',
  recipient: { address: '+447700900123' },
  text_body: 'Hello from Carillon.',
};

/** A simulator adds each message that it accepts to a list; `onItem` is called for each of them. */
function watch<Item>(list: Item[], onItem: (item: Item) => void): void {
  const push = list.push.bind(list);
  list.push = (...items) => {
    for (const item of items) onItem(item);
    return push(...items);
  };
}

function emailSettings(kind: string, config: object): Step {
  const body = { from_address: 'hello@mg.acme.example', providers: [{ kind, config }] };
  return { method: 'PUT', path: '/v1/environments/{env}/email-settings', body };
}

function emailEntry({ kind, name = kind, port, start, settingsFor }: EmailSimulation): Entry {
  return {
    name,
    port,
    async start(given, onMessage) {
      const { simulator, config } = await start({
        port: given,
        secretFor: (field) => secretOf(`${name} ${field}`),
      });
      watch(simulator.received, ({ to, from, subject }) => onMessage(`${from} → ${to}: ${subject}`));
      return {
        url: simulator.url,
        controlUrl: simulator.url,
        steps: [
          emailSettings(kind, {
            ...config,
            ...(settingsFor?.(simulator.url) ?? { base_url: simulator.url }),
          }),
        ],
        send: emailSend,
        stop: simulator.stop,
      };
    },
  };
}

function smsEntry({ kind, name = kind, port, start, settingsFor, idOf }: SmsSimulation): Entry {
  return {
    name,
    port,
    async start(given, onMessage) {
      const { simulator, config } = await start({
        port: given,
        secretFor: (field) => secretOf(`${name} ${field}`),
      });
      watch(simulator.received, (message) =>
        onMessage(`${message.from} → ${message.to}: ${message.text} (${idOf(message)})`),
      );
      return {
        url: simulator.url,
        controlUrl: simulator.url,
        // The operator sets the host of the services that Carillon knows.
        settings: settingsFor ? {} : { [`CARILLON_${kind.toUpperCase()}_API_URL`]: simulator.url },
        steps: [
          {
            method: 'PUT',
            path: '/v1/environments/{env}/sms-settings/providers',
            body: { providers: [{ kind, from_number: '+14155550100', config }] },
          },
        ],
        send: smsSend,
        stop: simulator.stop,
      };
    },
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

function template(channel: string, structured: object): Step {
  const key = `hello-${channel}`;
  const bodies = [
    { channel, structured_template: JSON.stringify(structured), text_template: 'Hello from Carillon.' },
  ];
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
      template('chatone', [{ type: 'section', text: { type: 'mrkdwn', text: 'Hello from Carillon.' } }]),
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
  const card = {
    type: 'AdaptiveCard',
    version: '1.5',
    body: [{ type: 'TextBlock', text: 'Hello from Carillon.' }],
  };
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
      template('chatthree', { title: 'Hello from Carillon.' }),
    ],
    send: { channel: 'chatthree', recipient: { endpoint: 'simulator' }, template_key: 'hello-chatthree' },
    stop: simulator.stop,
  };
}

/** A webhook receiver. */
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
    send: {
      channel: 'webhook',
      recipient: { address: `${simulator.url}/notify` },
      text_body: 'Hello from Carillon.',
    },
    stop: simulator.stop,
  };
}
