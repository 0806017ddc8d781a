import { describe, expect, it } from 'vitest';
import type { ProviderKind } from '../../src/channels/provider.ts';
import { emailProviders, smsProviders } from '../../src/channels/registry.ts';
import { emailSimulations, smsSimulations } from '../simulators/all.ts';
import { secretOf } from '../simulators/secret.ts';
import { uncovered } from './uncovered.ts';

/** SMTP is examined in email.test.ts against a mail server, the sandbox in features/notifications/sandbox. */
const examinedElsewhere = ['smtp', 'sandbox'];

describe('every provider of the registry is examined', () => {
  it('over email', () => {
    expect(uncovered('email', emailProviders, emailSimulations, examinedElsewhere)).toEqual([]);
  });

  it('over SMS', () => {
    expect(uncovered('sms', smsProviders, smsSimulations)).toEqual([]);
  });

  it('and one that is not fails with a sentence that says what to add', () => {
    const postbox = (kind: string): ProviderKind => ({
      manifest: { kind, channel: 'email', title: 'Postbox', fields: [] },
      create: () => {
        throw new Error('not called');
      },
      readCallback: () => ({ kind: 'reports', reports: [] }),
    });
    const found = (
      providers: Record<string, ProviderKind>,
      exams: { kind: string; callbacks: null }[] = [],
    ) => uncovered('email', providers, exams);
    expect(found({ postbox: postbox('postbox') })).toEqual([
      'postbox has no simulator: write server/test/simulators/postbox.ts and add it to emailSimulations in server/test/simulators/all.ts.',
    ]);
    expect(found({ postbox: postbox('postbox') }, [{ kind: 'postbox', callbacks: null }])).toEqual([
      'postbox reads callbacks: describe how it signs them in "callbacks" of server/test/simulators/postbox.ts.',
    ]);
    expect(found({ postbox: postbox('resend') })).toEqual([
      'The manifest of postbox must have the kind "postbox" and the channel "email".',
    ]);
  });
});

const simulations = [
  ...emailSimulations.map(
    (simulation) => [nameOf(simulation), emailProviders[simulation.kind], simulation] as const,
  ),
  ...smsSimulations.map(
    (simulation) => [nameOf(simulation), smsProviders[simulation.kind], simulation] as const,
  ),
];

function nameOf({ kind, name = kind }: { kind: string; name?: string }): string {
  return name;
}
const secretsOf = (provider: ProviderKind | undefined): string[] =>
  (provider?.manifest.fields ?? []).filter(({ secret }) => secret).map(({ name }) => name);

describe.each(simulations)('the settings of %s', (_name, provider, simulation) => {
  /** The settings that its simulator was started with, and which of them are secret. */
  async function settings() {
    const secrets: string[] = [];
    const { simulator, config } = await simulation.start({
      port: 0,
      secretFor(field) {
        secrets.push(field);
        return secretOf(field);
      },
    });
    await simulator.stop();
    return { config, secrets };
  }

  it('are accepted as the service has them', async () => {
    const { config } = await settings();
    expect(provider?.complete?.(config) ?? { config }).toMatchObject({ config });
  });

  it('have every secret sealed', async () => {
    expect(secretsOf(provider).sort()).toEqual((await settings()).secrets.sort());
  });
});

it('the settings of smtp have the password sealed', () => {
  expect(secretsOf(emailProviders.smtp)).toEqual(['password']);
});

const withBaseUrl = emailSimulations.filter(({ settingsFor }) => !settingsFor);
describe.each(withBaseUrl.map((simulation) => [simulation.kind, simulation] as const))(
  'the base_url of %s',
  (kind, simulation) => {
    async function completed(base_url: string) {
      const { simulator, config } = await simulation.start({ port: 0, secretFor: secretOf });
      await simulator.stop();
      return emailProviders[kind]?.complete?.({ ...config, base_url });
    }

    it('may be another host', async () => {
      const base_url = 'http://127.0.0.1:8025/path';
      expect(await completed(base_url)).toMatchObject({ config: { base_url } });
    });

    it.each([
      'nonsense',
      'file:///etc/passwd',
      'https://user:password@host/',
      'https://host/?q=1',
      'https://host /',
    ])('is refused as %s', async (base_url) => {
      expect(await completed(base_url)).toMatchObject({
        field: 'base_url',
        problem: expect.stringMatching(/^must/),
      });
    });
  },
);
