import { createSign, randomUUID } from 'node:crypto';
import type { CallbackCall, CallbackOptions } from './email-provider.ts';
import type { Answer, ReceivedCall } from './http-simulator.ts';
import { snsCertificate, snsKey } from './sns-certificate.ts';

const certificatePath = '/SimpleNotificationService-simulated.pem';
const confirmPath = '/confirm-subscription';

export interface SnsSimulator {
  topicArn: string;
  /** The tokens of subscriptions that were confirmed. */
  confirmed: string[];
  /** Answers calls to the URLs that SNS names in its messages; null for any other URL. */
  handle(call: ReceivedCall): Answer | null;
  /** A signed message of the topic, with `message` as its content. */
  notification(message: unknown, options?: SnsOptions): CallbackCall;
  subscriptionConfirmation(token: string, options?: SnsOptions): CallbackCall;
}

interface SnsOptions extends CallbackOptions {
  signatureVersion?: '1' | '2';
  /** Fields that are set before the message is signed. */
  fields?: Record<string, string>;
}

/** The part of Amazon SNS that a subscriber sees, at `url`. */
export function createSnsSimulator(url: () => string, topicArn: string): SnsSimulator {
  const confirmed: string[] = [];

  function call(
    type: string,
    fields: Record<string, string>,
    { at = Date.now(), signatureVersion = '1', fields: changes = {} }: SnsOptions,
  ): CallbackCall {
    const message: Record<string, string> = {
      Type: type,
      MessageId: randomUUID(),
      TopicArn: topicArn,
      Timestamp: new Date(at).toISOString(),
      SignatureVersion: signatureVersion,
      SigningCertURL: url() + certificatePath,
      ...fields,
      ...changes,
    };
    const names =
      type === 'Notification'
        ? ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']
        : ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];
    const text = names
      .filter((name) => message[name] !== undefined)
      .map((name) => `${name}\n${message[name]}\n`)
      .join('');
    const signature = createSign(signatureVersion === '2' ? 'RSA-SHA256' : 'RSA-SHA1')
      .update(text)
      .sign(snsKey, 'base64');
    return {
      headers: {
        'content-type': 'text/plain; charset=UTF-8',
        'x-amz-sns-message-type': type,
        'x-amz-sns-message-id': message.MessageId ?? '',
        'x-amz-sns-topic-arn': topicArn,
      },
      body: JSON.stringify({ ...message, Signature: signature }),
    };
  }

  return {
    topicArn,
    confirmed,
    handle({ method, path, query }) {
      if (method === 'GET' && path === certificatePath) return { status: 200, body: snsCertificate };
      if (method !== 'GET' || path !== confirmPath) return null;
      confirmed.push(query.get('Token') ?? '');
      return { status: 200, body: '<ConfirmSubscriptionResponse/>' };
    },
    notification: (message, options = {}) =>
      call(
        'Notification',
        { Message: JSON.stringify(message), UnsubscribeURL: `${url()}/unsubscribe` },
        options,
      ),
    subscriptionConfirmation: (token, options = {}) =>
      call(
        'SubscriptionConfirmation',
        {
          Message: 'You have chosen to subscribe to the topic.',
          Token: token,
          SubscribeURL: `${url()}${confirmPath}?Token=${token}`,
        },
        options,
      ),
  };
}
