import { expect, test } from 'vitest';
import { createBudget } from '../../../templating/budget.ts';
import { compileBody } from './render.ts';

const body = {
  channel: 'chatone' as const,
  locale: null,
  subject_template: '',
  text_template: '',
  html_template: '',
  structured_template: '',
};
const render = (blocks: unknown, data: object) =>
  compileBody({ ...body, structured_template: JSON.stringify(blocks) })(data, createBudget()).structured;

test('data that looks like markup stays text; markup of the template stays markup', () => {
  const blocks = [
    { type: 'section', text: { type: 'mrkdwn', text: '<!here> *{{ name }}* <{{ url }}|open>' } },
    { type: 'section', fields: [{ type: 'mrkdwn', text: '{{ name }}' }] },
    { type: 'context', elements: [{ type: 'mrkdwn', text: '{{ name }}' }] },
    { type: 'markdown', text: '{{ name }}' },
  ];
  const hostile = '<!channel> & <@U1>';
  const safe = '&lt;!channel&gt; &amp; &lt;@U1&gt;';
  expect(render(blocks, { name: hostile, url: 'https://x/?a=1&b=2' })).toEqual([
    { type: 'section', text: { type: 'mrkdwn', text: `<!here> *${safe}* <https://x/?a=1&amp;b=2|open>` } },
    { type: 'section', fields: [{ type: 'mrkdwn', text: safe }] },
    { type: 'context', elements: [{ type: 'mrkdwn', text: safe }] },
    { type: 'markdown', text: safe },
  ]);
});

test('where the service reads no markup, data is as it was', () => {
  const blocks = [
    { type: 'header', text: { type: 'plain_text', text: '{{ name }}' } },
    {
      type: 'actions',
      elements: [{ type: 'button', text: { type: 'plain_text', text: '{{ name }}' }, url: '{{ url }}' }],
    },
  ];
  expect(render(blocks, { name: 'R&D <3', url: 'https://x/?a=1&b=2' })).toEqual([
    { type: 'header', text: { type: 'plain_text', text: 'R&D <3' } },
    {
      type: 'actions',
      elements: [{ type: 'button', text: { type: 'plain_text', text: 'R&D <3' }, url: 'https://x/?a=1&b=2' }],
    },
  ]);
});

test('raw opts out, and is still JSON', () => {
  const blocks = [
    { type: 'section', text: { type: 'mrkdwn', text: '{{ name | raw }} {{ name | raw | upcase }}' } },
  ];
  expect(render(blocks, { name: '<@U1> "x' })).toEqual([
    { type: 'section', text: { type: 'mrkdwn', text: '<@U1> "x &lt;@U1&gt; "X' } },
  ]);
});

test('data cannot bring the marks along, captured text is still data, and whole values are covered too', () => {
  const source = `{% capture both %}{{ name }}{% endcapture %}[
    {"type": "section", "text": {"type": "mrkdwn", "text": "{{ both }}"}},
    {"type": "section", "text": {{ whole }}}]`;
  const data = { name: '\ufdd1!channel\ufdd2<b>', whole: { type: 'mrkdwn', text: '<!channel>' } };
  const rendered = compileBody({ ...body, structured_template: source })(data, createBudget()).structured;
  expect(rendered).toEqual([
    { type: 'section', text: { type: 'mrkdwn', text: '!channel&lt;b&gt;' } },
    { type: 'section', text: { type: 'mrkdwn', text: '&lt;!channel&gt;' } },
  ]);
});

test('other channels get their data unchanged', () => {
  const card = '{"type":"AdaptiveCard","version":"1.5","body":[{"type":"TextBlock","text":"{{ name }}"}]}';
  const compiled = compileBody({ ...body, channel: 'chattwo', structured_template: card });
  const { structured } = compiled({ name: 'R&D <3' }, createBudget());
  expect(structured).toMatchObject({ body: [{ text: 'R&D <3' }] });
});
