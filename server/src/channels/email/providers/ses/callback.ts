import { isCurrent, refused } from '../../../callback.ts';
import type { CallbackRequest, CallbackVerdict, ProviderConfig } from '../../../contract.ts';
import type { Outbound } from '../../../http.ts';
import { jsonObject, textIn } from '../../../json.ts';
import { reportsOf } from './events.ts';
import { isTrustedUrl, signatureProblem } from './sns.ts';

/** SNS repeats a call for an hour, with its original time of publication. */
const toleranceMs = 2 * 3_600_000;
const confirmTimeoutMs = 5_000;

export async function readCallback(
  { body }: CallbackRequest,
  config: ProviderConfig,
  context: { outbound: Outbound; clock: () => number },
): Promise<CallbackVerdict> {
  const topic = config.sns_topic_arn;
  if (!topic) return refused(401, 'sns_topic_arn is not set');
  const baseUrl = config.base_url ? String(config.base_url) : null;
  const message = jsonObject(body.toString('utf8'));
  if (!message) return refused(400, 'the body is not a JSON object');
  // The topic is checked before anything is fetched, so a foreign topic causes no outbound call.
  if (message.TopicArn !== topic) return refused(403, 'it is from another topic than sns_topic_arn');
  const problem = await signatureProblem(message, baseUrl, context);
  if (problem) return refused(401, problem);
  if (!isCurrent(Date.parse(textIn(message, 'Timestamp') ?? ''), context.clock(), toleranceMs))
    return refused(401, 'the timestamp is too old or not a time');

  if (message.Type === 'SubscriptionConfirmation') {
    const { SubscribeURL: url } = message;
    if (!isTrustedUrl(url, baseUrl)) return refused(403, 'SubscribeURL is not at an address of Amazon SNS');
    const answer = await context.outbound.request({
      method: 'GET',
      url,
      timeoutMs: confirmTimeoutMs,
      maxBytes: 4_096,
    });
    const isConfirmed = answer.kind === 'answer' && answer.status === 200;
    return isConfirmed
      ? { kind: 'reports', reports: [] }
      : refused(400, 'the subscription could not be confirmed');
  }
  const event = jsonObject(textIn(message, 'Message') ?? '');
  return {
    kind: 'reports',
    reports: message.Type === 'Notification' && event ? reportsOf(event, String(message.MessageId)) : [],
  };
}
