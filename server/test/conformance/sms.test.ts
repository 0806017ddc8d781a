import type { SmsMessage } from '../../src/channels/message.ts';
import { type ProviderKind, smsProviders } from '../../src/channels/registry.ts';
import { smsSimulations } from '../simulators/all.ts';
import { examine, idNumber } from './exam.ts';
import { httpMishaps, startHttpBench } from './http-bench.ts';

const message = (changes: Partial<SmsMessage> = {}): SmsMessage => ({
  channel: 'sms',
  notificationId: idNumber(1),
  environmentId: '0198aaaa-0000-7000-8000-00000000000e',
  attempt: 1,
  to: { address: '+447700900123', name: null },
  from: '+14155550100',
  text: 'Hello',
  ...changes,
});

const providers: Readonly<Record<string, ProviderKind>> = smsProviders;

/** A successful status does not say that the message was accepted. */
const bodyDecides = new Set(['smstwo', 'http_sms']);

for (const simulation of smsSimulations) {
  const { kind, name = kind, idempotent, refusals } = simulation;
  examine({
    provider: name,
    idempotent,
    start: () =>
      startHttpBench({
        simulation,
        provider: providers[kind],
        settingsFor: simulation.settingsFor ?? ((url) => ({ api_url: url, callback_url: null })),
        message,
      }),
    mishaps: bodyDecides.has(name) ? { ...httpMishaps, half_answer: 'ambiguous' } : httpMishaps,
    refusals,
  });
}
