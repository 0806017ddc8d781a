import type { EmailMessage } from '../../src/channels/message.ts';
import { emailProviders } from '../../src/channels/registry.ts';
import type { EmailProviderSimulator } from '../simulators/email-provider.ts';
import type { EmailSimulation } from '../simulators/simulation.ts';
import { idNumber } from './exam.ts';
import { type HttpBench, startHttpBench } from './http-bench.ts';

export type EmailBench<Simulator extends EmailProviderSimulator = EmailProviderSimulator> =
  HttpBench<Simulator>;

export function startEmailBench<Simulator extends EmailProviderSimulator>(
  simulation: EmailSimulation<Simulator>,
): Promise<EmailBench<Simulator>> {
  return startHttpBench({
    simulation,
    provider: emailProviders[simulation.kind],
    settingsFor: simulation.settingsFor ?? ((url) => ({ base_url: url })),
    message: emailMessage,
  });
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
