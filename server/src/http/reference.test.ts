import { createHash } from 'node:crypto';
import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from './openapi.ts';
import { referencePage, referenceSecurityPolicy } from './reference.ts';
import { route } from './route.ts';
import { OneOf, Uuid } from './schema.ts';

const nasty = '<script>alert("x")</script>';
const routes = [
  route({
    method: 'PUT',
    path: '/v1/bells/:id',
    operation: 'saveBell',
    tag: `Bells ${nasty}`,
    summary: `Save ${nasty}`,
    description: `Words and \`code ${nasty}\`.\n\n- one\n- two`,
    access: 'channels:write',
    params: Type.Object({ id: Uuid }),
    body: Type.Object({
      tone: OneOf(['low', nasty], { description: `How it sounds ${nasty}` }),
      text: Type.String({ examples: ["it's"], pattern: '<b>', maxLength: 9 }),
      maker: Type.Object({ town: Type.String() }),
      note: Type.Optional(Type.String()),
    }),
    responses: { 200: Type.Object({ id: Uuid }, { title: 'Bell' }) },
    handler: () => ({ status: 200 }),
  }),
];
const page = referencePage(openApiDocument(routes, '1.2.3'));

describe('the API reference', () => {
  it('escapes everything that comes from the routes', () => {
    expect(page).not.toContain('<script');
    expect(page).toContain('Save &lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;');
  });

  it('runs no script, loads nothing, and carries only the style that its security policy names', () => {
    expect(page).not.toMatch(/\s(src|srcset|style|on\w+)=|@import|url\(/);
    const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(page) ?? [];
    expect(referenceSecurityPolicy).toContain(
      `'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    );
    expect(referenceSecurityPolicy).toContain("default-src 'none'");
  });

  it('shows method, path, scope, fields inside fields, and limits', () => {
    expect(page).toContain('<code>/v1/bells/{id}</code> <span class="scope">channels:write</span>');
    expect(page).toContain('Fields of maker');
    expect(page).toContain('at most 9 characters; matches &lt;b&gt;');
    expect(page).toContain('<a href="#schema-Bell">Bell</a>');
  });

  it('gives a curl with a body that fits and survives the shell', () => {
    expect(page).toContain('curl -X PUT http://127.0.0.1:8400/v1/bells/0198c2f4');
    expect(page).toContain('Authorization: Bearer $CARILLON_API_KEY');
    expect(page).toContain('it&#39;\\&#39;&#39;s'); // it'\''s, as HTML
  });

  it('leads every link inside the page to something that is there, and uses no id twice', () => {
    const ids = [...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, target] of page.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(target);
  });
});
