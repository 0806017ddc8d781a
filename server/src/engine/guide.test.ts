import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ValidationContext } from './contract.ts';
import { parseDefinition } from './parse.ts';
import { validateDefinition } from './validate.ts';

const guide = readFileSync(new URL('../../../docs/guides/workflows.md', import.meta.url), 'utf8');
const examples = [...guide.matchAll(/```json\n([^`]*)```/g)].map(([, text]) => text ?? '');

const world: ValidationContext = {
  templates: new Map([['welcome', new Set(['email'])]]),
  categories: new Set(['onboarding']),
  channels: new Set(['email', 'in_app', 'sms']),
  templatedChannels: new Set(),
};

describe('the guide', () => {
  test('has examples', () => expect(examples.length).toBeGreaterThanOrEqual(5));

  test.each(examples.map((text, index) => [index + 1, text] as const))(
    'example %d can be activated',
    (_, text) => {
      const result = parseDefinition(text);
      expect(result).toMatchObject({ ok: true });
      if (result.ok) expect(validateDefinition(result.definition, world)).toEqual([]);
    },
  );

  test('names every code of validation', () => {
    const source = readFileSync(new URL('./validate.ts', import.meta.url), 'utf8');
    const codes = new Set([...source.matchAll(/(?:report\(\s*|code: )'([a-z_]+)'/g)].map(([, code]) => code));
    expect(codes.size).toBeGreaterThanOrEqual(18);
    for (const code of codes) expect(guide).toContain(`\`${code}\``);
  });
});
