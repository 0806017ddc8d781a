import { describe, expect, it } from 'vitest';
import { isHtmlDocument, isMjml, mjmlExcess, mjmlTask, splitDocument } from './mjml.ts';

const compile = (source: string) => mjmlTask.work({ source, param: 'html_template' });
const wrap = (body: string, head = '') => `<mjml><mj-head>${head}</mj-head><mj-body>${body}</mj-body></mjml>`;
const section = (inner: string) => `<mj-section><mj-column>${inner}</mj-column></mj-section>`;

describe('MJML', () => {
  it('is a source whose first element is mjml', () => {
    expect(['<mjml>', '\n<!-- a --> <mjml lang="en">', '<MJML\n>'].map(isMjml)).toEqual([true, true, true]);
    expect(['<p><mjml>', '', '<mjmlx>', 'mjml'].map(isMjml)).toEqual([false, false, false, false]);
  });

  it('is recognized after any number of comments, in linear time', () => {
    const comments = '<!-- a -->'.repeat(25_000);
    expect([isMjml(`${comments}<mjml>`), isMjml(comments), isMjml(`${comments}<p>`)]).toEqual([
      true,
      false,
      false,
    ]);
    expect(isHtmlDocument(`${comments}<!DOCTYPE html>`)).toBe(true);
    expect(isHtmlDocument('<!-- <html>')).toBe(false);
  });

  it('becomes HTML with its Liquid unchanged: in texts, attributes and styles, with quotes and comparisons', async () => {
    const liquid = [
      `{% if a < b and c == "d" %}`,
      `{{ 'x' | t: name: user["name"] }}`,
      '{% endif %}',
      '{{ brand.color }}',
      '{% render "row" for rows %}',
    ];
    const html = await compile(
      wrap(
        `${section(`<mj-text color="{{ brand.color }}">${liquid[0]}${liquid[1]}${liquid[2]}</mj-text><mj-button href="{{ url | default: '/' }}">Go</mj-button>`)}<mj-raw>${liquid[4]}</mj-raw>`,
        '<mj-style>.a { color: {{ brand.color }} }</mj-style><mj-title>{{ title }}</mj-title>',
      ),
    );
    for (const tag of [...liquid, `href="{{ url | default: '/' }}"`, '<title>{{ title }}</title>'])
      expect(html).toContain(tag);
    expect(html).toContain('color:{{ brand.color }}');
    expect(html).toMatch(/^<!doctype html>/i);
    expect(html).not.toMatch(/liquid\d+x/);
  });

  it('refuses what it would lose, what is no component, and files', async () => {
    const lost = wrap(`\n{% if x %}${section('')}{% endif %}`);
    await expect(compile(lost)).rejects.toThrow('MJML drops {% if x %} here: put it into mj-raw (line 2)');
    await expect(compile(wrap('<mj-foo />'))).rejects.toThrow(
      /html_template: mj-foo: .*doesn't exist.*\(line 1\)/,
    );
    await expect(compile(wrap('<mj-include path="/etc/passwd" />'))).rejects.toThrow(
      'mj-include is not supported',
    );
  });

  it.each([
    ['elements', `${section('')}\n`.repeat(501), 'MJML has more than 1000 elements (line 499)'],
    ['levels', '<mj-section>'.repeat(29), 'MJML is nested more than 30 levels deep (line 1)'],
    [
      'attributes',
      `\n<mj-text ${'a="" '.repeat(60)}${"b='>' ".repeat(30)}${'c '.repeat(11)}/>`,
      'mj-text has more than 100 attributes (line 2)',
    ],
    [
      'inlined rules',
      `<mj-style inline="inline">${'.a, .b {top:0}'.repeat(51)}</mj-style>`,
      'mj-style inlines more than 100 rules (line 1)',
    ],
    ['tags', `<mj-text>\n${'<'.repeat(20_001)}</mj-text>`, 'MJML has more than 20000 tags (line 2)'],
    [
      'elements for its inlined rules',
      `<mj-style inline="inline">${'* * .x{color:red}'.repeat(90)}</mj-style>${section(`<mj-text>${'<b></b>'.repeat(8_000)}</mj-text>`)}`,
      'mj-style and mj-selector are too long for so many elements (line 1)',
    ],
    [
      'elements for its selectors',
      `${'<mj-selector path=".a * * *"></mj-selector>\n'.repeat(90)}${section(`<mj-text>${'<b></b>'.repeat(8_000)}</mj-text>`)}`,
      'mj-style and mj-selector are too long for so many elements (line 90)',
    ],
  ])('refuses too many %s before it compiles anything', async (_of, body, message) => {
    await expect(compile(wrap(body))).rejects.toMatchObject({
      code: 'template_syntax_error',
      param: 'html_template',
      message: `html_template: ${message}.`,
    });
  });

  it('reads Liquid that never ends once', async () => {
    const begun = process.cpuUsage();
    const liquid = ['{{', '{%'].map((open) => open.repeat(60_000));
    for (const text of liquid)
      expect(await compile(wrap(section(`<mj-text>${text}</mj-text>`)))).toContain(text);
    const { user } = process.cpuUsage(begun);
    expect(user / 1000).toBeLessThan(2_000); // 8 s for each when every opening was read to the end; loading MJML takes half a second
  });

  it('does not count what is commented out, and elements that are closed at once have no depth', () => {
    const commented = `<!-- ${'<mj-text>'.repeat(2_000)} -->`;
    expect(mjmlExcess(commented + '<mj-image src="a/b" />'.repeat(900))).toBeNull();
  });

  it('splits into styles for the head of a layout, and content', async () => {
    const html = await compile(wrap(section('<mj-text>Hi</mj-text>'), '<mj-style>.a{top:0}</mj-style>'));
    const { styles, content } = splitDocument(html);
    expect(styles).toContain('.a{top:0}');
    expect(styles).not.toMatch(/<title|<meta|<body/);
    expect(content).toContain('Hi');
    expect(content).not.toMatch(/<body|<\/html/);
  });
});
