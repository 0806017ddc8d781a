import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rewriteHtml } from './links.ts';

const replaceLink = (url: string): string | null => (url.startsWith('https:') ? `T(${url})` : null);
const rewrite = (html: string, pixelUrl: string | null = null): string =>
  rewriteHtml(html, { replaceLink, pixelUrl });

describe('links', () => {
  it.each([
    ['<a href="https://a.example/x">x</a>', '<a href="T(https://a.example/x)">x</a>'],
    ["<a href='https://a.example/x'>x</a>", '<a href="T(https://a.example/x)">x</a>'],
    ['<a href=https://a.example/x>x</a>', '<a href="T(https://a.example/x)">x</a>'],
    ['<A\n HREF = "https://a.example/x" >x</A>', '<A\n href="T(https://a.example/x)" >x</A>'],
    ['<a href=" https://a.example/ ">x</a>', '<a href="T(https://a.example/)">x</a>'],
    [
      '<a class="b" href="https://a.example/?a=1&amp;b=2&#38;c=3" id=q>x</a>',
      '<a class="b" href="T(https://a.example/?a=1&amp;b=2&amp;c=3)" id=q>x</a>',
    ],
    ['<a href="https://a.example/?q=&quot;">x</a>', '<a href="T(https://a.example/?q=&quot;)">x</a>'],
    ['<map><area href="https://a.example/"></map>', '<map><area href="T(https://a.example/)"></map>'],
    ['<a href="https://a.example/"/>', '<a href="T(https://a.example/)"/>'],
    [
      '<a href="https://a.example/" href="https://b.example/">x</a>',
      '<a href="T(https://a.example/)" href="https://b.example/">x</a>',
    ],
  ])('%s becomes %s', (html, expected) => {
    expect(rewrite(html)).toBe(expected);
  });

  it.each([
    '<a href="mailto:ada@example.com">x</a>',
    '<a href="#top">x</a>',
    '<a href>x</a>',
    '<a name="https://a.example/">x</a>',
    '<a data-href="https://a.example/">x</a>',
    '<a href="https://a.example/" data-track="off">x</a>',
    '<a data-track=OFF href="https://a.example/">x</a>',
    '<link href="https://a.example/style.css"><img src="https://a.example/i.png">',
    '<!-- <a href="https://a.example/">x</a> -->',
    '<!--[if mso]><a href="https://a.example/">x</a><![endif]-->',
    '<style>a[href="https://a.example/"]{}</style>',
    '<script>"<a href=\'https://a.example/\'>"</script>',
    '<textarea><a href="https://a.example/">x</a></textarea>',
    'https://a.example/ &lt;a href="https://a.example/"&gt;',
    '<a href="https://a.example/',
    '',
  ])('%s stays as it is', (html) => {
    expect(rewrite(html)).toBe(html);
  });

  it('are exchanged without touching anything else, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(rewriteHtml(text, { replaceLink: () => null, pixelUrl: null })).toBe(text);
      }),
    );
  });

  it('are found in time that grows with the length alone', () => {
    const html = `${'<b><a href="https://a.example/">'.repeat(5_000)}x`;
    expect(rewrite(html).length).toBe(html.length + 3 * 5_000);
    expect(rewrite('<'.repeat(500_000))).toHaveLength(500_000);
    expect(rewrite(`<a href="${'&amp;'.repeat(200_000)}`)).toHaveLength(9 + 5 * 200_000);
  });
});

describe('the pixel', () => {
  const image =
    '<img src="https://n.example/t/o/x?a&amp;b" width="1" height="1" alt="" style="border:0;width:1px;height:1px">';
  const url = 'https://n.example/t/o/x?a&b';

  it.each([
    ['<html><body><p>Hi</p></body></html>', `<html><body><p>Hi</p>${image}</body></html>`],
    ['<BODY>Hi</BODY >', `<BODY>Hi${image}</BODY >`],
    ['<p>Hi</p>', `<p>Hi</p>${image}`],
    ['<body>Hi<!-- </body> -->', `<body>Hi<!-- </body> -->${image}`],
    ['<body>a</body><body>b</body>', `<body>a</body><body>b${image}</body>`],
    ['', image],
  ])('in %s', (html, expected) => {
    expect(rewrite(html, url)).toBe(expected);
  });
});
