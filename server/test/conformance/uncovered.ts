import type { ProviderKind } from '../../src/channels/provider.ts';

type Providers = Readonly<Record<string, ProviderKind>>;

interface Exam {
  kind: string;
  callbacks?: object | null;
}

/**
 * The providers that the conformance tests would pass over, each with a sentence that says what to add. `others` names the
 * providers that have tests of another kind.
 */
export function uncovered(
  channel: 'email' | 'sms',
  providers: Providers,
  exams: readonly Exam[],
  others: readonly string[] = [],
): string[] {
  const table = `${channel}Simulations in server/test/simulators/all.ts`;
  return Object.entries(providers).flatMap(([name, { manifest, readCallback }]) => {
    if (manifest.kind !== name || manifest.channel !== channel)
      return [`The manifest of ${name} must have the kind "${name}" and the channel "${channel}".`];
    const exam = exams.find(({ kind }) => kind === name);
    if (!exam && others.includes(name)) return [];
    if (!exam)
      return [`${name} has no simulator: write server/test/simulators/${name}.ts and add it to ${table}.`];
    if (readCallback && exam.callbacks === null)
      return [
        `${name} reads callbacks: describe how it signs them in "callbacks" of server/test/simulators/${name}.ts.`,
      ];
    return [];
  });
}
