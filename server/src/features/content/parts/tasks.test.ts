import { expect, test } from 'vitest';
import { HeavyWork } from '../../../threads/effort.ts';
import { partCheckTask } from './tasks.ts';

test('a layout is charged for each time that it is parsed: twice for a field, with its partials', () => {
  const part = (html: string, text: string, partials: Record<string, string>) => ({
    sources: [
      {
        param: 'html_template',
        source: `${html}{{ content }}`,
        flavour: 'html' as const,
        needsContent: true,
      },
      {
        param: 'text_template',
        source: `${text}{{ content }}`,
        flavour: 'text' as const,
        needsContent: true,
      },
    ],
    partials,
  });
  const outputs = '{{ abcdefghijklmnopqrstuvwxyz }}'.repeat(100);
  const light = part(outputs, '', {});
  expect(partCheckTask.attempt(light, 'light')).toEqual({ translates: false, keys: [], partials: [] });
  const twice = part(outputs, outputs, {});
  expect(() => partCheckTask.attempt(twice, 'light')).toThrow(HeavyWork);
  const partial = part("{% render 'p' %}", "{% render 'p' %}", { p: outputs });
  expect(() => partCheckTask.attempt(partial, 'light')).toThrow(HeavyWork);
  expect(partCheckTask.attempt(partial, 'full').partials).toEqual(['p']);
});
