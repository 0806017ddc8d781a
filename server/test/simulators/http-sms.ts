import { randomUUID } from 'node:crypto';
import { type Answer, type ReceivedCall, startHttpSimulator } from './http-simulator.ts';
import { type ReceivedSms, type SmsSimulation, type SmsSimulator, says } from './simulation.ts';

interface HttpSmsMessage extends ReceivedSms {
  id: string;
  callback: string;
}

/** An imaginary SMS gateway that Carillon does not know. It takes forms, and answers 200 whether it takes a message or not. */
async function startHttpSmsSimulator(options: {
  port: number;
  apiKey: string;
  callbackSecret: string;
}): Promise<SmsSimulator & { received: HttpSmsMessage[] }> {
  const received: HttpSmsMessage[] = [];

  function handle(call: ReceivedCall): Answer {
    if (call.headers['x-api-key'] !== options.apiKey)
      return { status: 403, body: refusal('KEY', 'Unknown key') };
    if (call.method === 'GET' && call.path === '/balance') return { status: 200, body: { credits: 100 } };
    if (
      call.path !== '/send' ||
      !call.headers['content-type']?.startsWith('application/x-www-form-urlencoded')
    )
      return { status: 404 };
    const form = new URLSearchParams(call.text);
    const [to, from, text] = ['dest', 'origin', 'msg'].map((name) => form.get(name) ?? '');
    if (!to || !/^\d{7,15}$/.test(to)) return { status: 200, body: refusal('DEST', 'Wrong number') };
    if (!from || !text) return { status: 200, body: refusal('FIELD', 'A field is missing') };
    const message = { id: randomUUID(), to, from, text, callback: form.get('report_to') ?? '' };
    received.push(message);
    return { status: 200, body: { result: 'OK', ids: [message.id] } };
  }

  /** A report is a form; the callback URL names the notification, because the gateway repeats nothing of the message. */
  async function report(url: string, fields: Record<string, string>, key: string | null): Promise<number> {
    const headers = key === null ? {} : { 'x-report-key': key };
    const answer = await fetch(url, { method: 'POST', headers, body: new URLSearchParams(fields) });
    await answer.arrayBuffer();
    return answer.status;
  }

  const server = await startHttpSimulator({
    port: options.port,
    handle,
    controls: {
      received: () => received,
      async receipt({ status }) {
        const message = received.at(-1);
        if (!message) throw new Error('no message was received');
        return {
          answered: await report(message.callback, { state: String(status) }, options.callbackSecret),
        };
      },
      inbound: async ({ url, from, text }) => ({
        answered: await report(
          String(url),
          { sender: String(from), words: String(text) },
          options.callbackSecret,
        ),
      }),
    },
  });
  return Object.assign(server, {
    received,
    receipt: (
      message: ReceivedSms,
      status: string,
      _code?: undefined,
      { signature = options.callbackSecret }: { signature?: string | null } = {},
    ) => report((message as HttpSmsMessage).callback, { state: status }, signature),
  });
}

const refusal = (code: string, text: string) => ({ result: 'ERROR', code, text });

export const httpSms: SmsSimulation<SmsSimulator & { received: HttpSmsMessage[] }> = {
  kind: 'http',
  name: 'http_sms',
  port: 8_438,
  async start({ port, secretFor }) {
    const apiKey = secretFor('secret');
    const callbackSecret = secretFor('callback_secret');
    const simulator = await startHttpSmsSimulator({ port, apiKey, callbackSecret });
    return {
      simulator,
      config: {
        secret: apiKey,
        ...settingsFor(simulator.url),
        headers: { 'X-Api-Key': '{{ secret }}' },
        form: {
          dest: "{{ to | remove: '+' }}",
          origin: '{{ from }}',
          msg: '{{ text }}',
          report_to: '{{ callback_url }}',
        },
        success_pointer: '/result',
        success_value: 'OK',
        message_id_pointer: '/ids/0',
        error_code_pointer: '/code',
        error_message_pointer: '/text',
        error_classes: {
          CREDIT: 'broken',
          BUSY: 'throttled',
          LATER: 'retry',
          GONE: 'unreachable',
          STOP: 'unsubscribed',
        },
        callback_auth: 'header',
        callback_header: 'X-Report-Key',
        callback_secret: callbackSecret,
        callback_status_pointer: '/state',
        callback_statuses: { delivered: 'delivered', failed: 'bounced' },
        reply_from_pointer: '/sender',
        reply_text_pointer: '/words',
      },
    };
  },
  settingsFor,
  idOf: ({ id }) => id,
  credential: 'secret',
  idempotent: false,
  errorBody: (text) => refusal('FIELD', text),
  refusals: (
    [
      ['CREDIT', { kind: 'broken' }],
      ['BUSY', { kind: 'throttled' }],
      ['LATER', { kind: 'retry' }],
      ['GONE', { kind: 'suppress', reason: 'hard_bounce' }],
      ['STOP', { kind: 'suppress', reason: 'unsubscribed' }],
      ['FIELD', { kind: 'rejected' }],
    ] as const
  ).map(([code, outcome]) => ({
    title: `the code ${code} in a 200`,
    provoke: says({ status: 200, body: refusal(code, 'no') }),
    outcome: { ...outcome, code },
  })),
};

function settingsFor(url: string) {
  return { url: `${url}/send`, check_url: `${url}/balance` };
}
