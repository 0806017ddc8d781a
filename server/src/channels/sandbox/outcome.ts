import type { Message } from '../contract.ts';
import { accepted, delivered, type SandboxAnswer } from '../sandbox-answer.ts';
import { channelSpecs } from '../specs.ts';

/** The sandbox's answer: the magic recipients of a channel have their own, and to all others it delivers. */
export function sandboxAnswer(message: Message): SandboxAnswer {
  return channelSpecs[message.channel].sandbox.answerTo?.(message) ?? accepted([delivered]);
}
