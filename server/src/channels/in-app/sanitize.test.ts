import { describe, expect, test } from 'vitest';
import { createThreadClock } from '../../templating/watchdog.ts';
import { isSafeLink } from './extras.ts';
import { htmlProblem, sanitizeHtml, sanitizeTask } from './sanitize.ts';

const processorTime = createThreadClock();
const rel = 'rel="noopener noreferrer nofollow"';

describe('HTML of an item is cut down to what is harmless', () => {
  test.each([
    // What a message is made of stays.
    ['<p>Hello <strong>Ada</strong><br />x</p>', '<p>Hello <strong>Ada</strong><br />x</p>'],
    ['<h2 title="t" lang="en" dir="ltr">A</h2>', '<h2 title="t" lang="en" dir="ltr">A</h2>'],
    ['<ul><li>one</li></ul>', '<ul><li>one</li></ul>'],
    ['<table><tr><td colspan="2">x</td></tr></table>', '<table><tr><td colspan="2">x</td></tr></table>'],
    [
      '<img src="https://example.com/a.png" alt="A" width="10">',
      '<img src="https://example.com/a.png" alt="A" width="10" />',
    ],
    ['1 &lt; 2 &amp; 3 > 2', '1 &lt; 2 &amp; 3 &gt; 2'],
    ['grüße 🔔', 'grüße 🔔'],
    // Links are told not to reach back.
    [
      '<a href="https://example.com/?a=1&b=2">x</a>',
      `<a href="https://example.com/?a=1&amp;b=2" ${rel}>x</a>`,
    ],
    ['<a href="/orders/1">x</a>', `<a href="/orders/1" ${rel}>x</a>`],
    ['<a href="mailto:a@b.co">x</a>', `<a href="mailto:a@b.co" ${rel}>x</a>`],
    [
      '<a href="https://example.com" rel="opener" target="_top">x</a>',
      `<a href="https://example.com" ${rel}>x</a>`,
    ],
    // Scripts, in every spelling.
    ['<script>alert(1)</script>a', 'a'],
    ['<SCRIPT SRC=https://evil.test/x.js></SCRIPT>a', 'a'],
    ['<scr<script>ipt>alert(1)</script>a', 'ipt&gt;alert(1)a'],
    ['<script>alert(1)', ''],
    ['<!--<script>alert(1)</script>-->a', 'a'],
    ['<!--[if IE]><script>alert(1)</script><![endif]-->a', 'a'],
    ['<![CDATA[<script>alert(1)</script>]]>a', 'a'],
    ['<noscript><p title="</noscript><img src=x onerror=alert(1)>">', ''],
    ['<template><script>alert(1)</script></template>a', 'a'],
    // Event handlers.
    ['<p onclick="alert(1)">a</p>', '<p>a</p>'],
    ['<img src="https://example.com/a.png" onerror="alert(1)">', '<img src="https://example.com/a.png" />'],
    ['<img src=x onerror=alert(1)//', ''],
    ['<body onload=alert(1)>a</body>', 'a'],
    ['<p/onmouseover=alert(1)>a', '<p>a</p>'],
    // Links that run.
    ['<a href="javascript:alert(1)">a</a>', `<a ${rel}>a</a>`],
    ['<a href="JaVaScRiPt:alert(1)">a</a>', `<a ${rel}>a</a>`],
    ['<a href=" javascript:alert(1)">a</a>', `<a ${rel}>a</a>`],
    ['<a href="java\tscript:alert(1)">a</a>', `<a ${rel}>a</a>`],
    ['<a href="java&#10;script:alert(1)">a</a>', `<a ${rel}>a</a>`],
    ['<a href="&#106;avascript:alert(1)">a</a>', `<a ${rel}>a</a>`],
    ['<a href="vbscript:x">a</a>', `<a ${rel}>a</a>`],
    ['<a href="data:text/html,<script>alert(1)</script>">a</a>', `<a ${rel}>a</a>`],
    ['<a href="//evil.test/">a</a>', `<a ${rel}>a</a>`],
    ['<img src="javascript:alert(1)">', '<img />'],
    ['<img src="data:image/svg+xml;base64,PHN2Zz4=">', '<img />'],
    // SVG and MathML.
    ['<svg onload=alert(1)><circle /></svg>a', 'a'],
    ['<svg><script>alert(1)</script><text>t</text></svg>a', 'a'],
    ['<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>a', 'a'],
    ['<svg><foreignObject><p onclick="x">p</p></foreignObject></svg>a', 'a'],
    ['<math><mi xlink:href="javascript:alert(1)">x</mi></math>a', 'a'],
    [
      '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></mglyph></table></mtext></math>a',
      'a',
    ],
    // Overlays and other people's clothes.
    ['<div style="position:fixed;inset:0;background:#fff">a</div>', '<div>a</div>'],
    ['<div class="modal fixed inset-0" id="login">a</div>', '<div>a</div>'],
    ['<style>body{display:none}</style>a', 'a'],
    ['<link rel="stylesheet" href="https://evil.test/x.css">a', 'a'],
    // What asks, embeds or redirects.
    ['<base href="https://evil.test/">a', 'a'],
    ['<meta http-equiv="refresh" content="0;url=https://evil.test">a', 'a'],
    ['<form action="https://evil.test"><input name="password"><button>Go</button>text</form>', 'text'],
    ['<iframe src="https://evil.test">x</iframe>a', 'a'],
    ['<iframe srcdoc="<script>alert(1)</script>"></iframe>a', 'a'],
    ['<object data="x.swf"><embed src="x.swf"></object>a', 'a'],
    ['<video src="x" onerror="alert(1)"><source></video>a', 'a'],
    ['<marquee onstart=alert(1)>a</marquee>', 'a'],
    ['<textarea><img src=x onerror=alert(1)></textarea>a', 'a'],
    ['<title><img src=x onerror=alert(1)></title>a', 'a'],
    ['<a name="x" id="getElementById" ping="https://evil.test">a</a>', `<a ${rel}>a</a>`],
  ])('%s → %s', (html, clean) => {
    expect(sanitizeHtml(html)).toBe(clean);
    expect(sanitizeHtml(clean), 'what is clean stays as it is').toBe(clean);
  });

  test('a tower of tags is cut to a height that a browser can take', () => {
    const tower = sanitizeHtml(`${'<div>'.repeat(4_000)}x${'</div>'.repeat(4_000)}`);
    expect(tower.match(/<div>/g)?.length).toBeLessThanOrEqual(50);
    expect(tower).toContain('x');
  });

  test('HTML that would take too long is not looked at', () => {
    expect(htmlProblem('x'.repeat(262_144))).toBe(null);
    expect(htmlProblem('x'.repeat(262_145))).toBe('must have at most 262144 characters');
    expect(htmlProblem('<b>'.repeat(10_000))).toBe(null);
    expect(htmlProblem('<b>'.repeat(10_001))).toBe('must have at most 10000 tags');
  });

  test.each([
    ['tags in tags', '<b>'.repeat(10_000)],
    ['unclosed tags', '<p><b>'.repeat(5_000)],
    ['foreign tags', '<svg>'.repeat(10_000)],
    ['attributes', `<p ${Array.from({ length: 20_000 }, (_, index) => `a${index}="1"`).join(' ')}>`],
    ['entities', '&amp;'.repeat(52_000)],
    ['comments', '<!--'.repeat(10_000)],
  ])('the largest body of nothing but %s takes little time', (_name, html) => {
    expect(htmlProblem(html)).toBe(null);
    const before = processorTime();
    sanitizeHtml(html);
    expect(processorTime() - before).toBeLessThan(3_000); // 50 to 120 ms; a square would be minutes
    expect(sanitizeTask.isLight(html)).toBe(false);
  });
});

describe('an item leads only to web pages', () => {
  test.each([
    'https://example.com',
    'http://example.com/a?b=c#d',
    'HTTPS://EXAMPLE.COM',
    '/orders/1',
    'orders/1',
    '?a=b',
    '#top',
    '/a:b',
  ])('%s is allowed', (url) => expect(isSafeLink(url)).toBe(true));
  test.each([
    'javascript:alert(1)',
    'JAVASCRIPT:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'mailto:a@b.co',
    'file:///etc/passwd',
    'blob:https://example.com/x',
    '//evil.test/',
    '/\\evil.test/',
    '\\\\evil.test/',
    'https:/\\evil.test',
    'https:evil.test',
    'a:b',
    'https://user:password@example.com',
    'https://',
    'http://[',
  ])('%j is refused', (url) => expect(isSafeLink(url)).toBe(false));
});
