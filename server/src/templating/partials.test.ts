import { describe, expect, it } from 'vitest';
import { createBudget } from './budget.ts';
import { compile, type Flavour, undefinedVariables, variablesOf } from './compile.ts';
import { type Catalogue, type Translation, translationUses } from './translation.ts';

function render(
  source: string,
  partials: Record<string, string>,
  {
    data = {},
    flavour = 'html' as Flavour,
    strict = false,
    translation = undefined as Translation | undefined,
  } = {},
): string {
  const settings = translation ? { translation } : {};
  return compile(source, flavour, { locale: null, partials, strict }).render(
    data,
    createBudget(),
    100_000,
    settings,
  );
}

describe('partials', () => {
  const partials = {
    card: '<b>{{ title }}</b>{{ secret }}',
    row: '{{ forloop.index }}/{{ forloop.length }} {{ row.name }};',
    frame: "[{% render 'card', title: title %}]",
  };

  it.each([false, true])(
    'see their arguments only, and escape like the field they are in (strict: %s)',
    (strict) => {
      const source = "{% render 'frame', title: name %}";
      expect(render(source.replace('frame', 'card'), partials, { data: { name: '<i>', secret: 1 } })).toBe(
        '<b>&lt;i&gt;</b>',
      );
      const inner = { card: '<b>{{ title }}</b>', frame: partials.frame };
      expect(render(source, inner, { data: { name: 'a&b' }, strict })).toBe('[<b>a&amp;b</b>]');
    },
  );

  it('take a value with “with”, and repeat with “for”', () => {
    const data = { user: { name: 'Ada' }, rows: [{ name: 'a' }, { name: 'b' }] };
    expect(render("{% render 'hello' with user as person %}", { hello: '{{ person.name }}' }, { data })).toBe(
      'Ada',
    );
    expect(render("{% render 'row' for rows %}", partials, { data })).toBe('1/2 a;2/2 b;');
  });

  it('keep JSON valid, in a value and within a text', () => {
    const source = `{"a": {% render 'v', x: x %}, "b": "{% render 'v', x: x %}"}`;
    const json = render(source, { v: '{{ x }}' }, { data: { x: 'say "hi"' }, flavour: 'json' });
    expect(JSON.parse(json)).toEqual({ a: 'say "hi"', b: 'say "hi"' });
  });

  it('are refused when they do not exist, render themselves or are too deep, with the position', () => {
    expect(() => render("x\n {% render 'none-such' %}", {})).toThrow(
      'there is no partial none-such (line 2, column 2)',
    );
    const loop = { a: "{% render 'b' %}", b: "\n{% render 'a' %}" };
    expect(() => render("{% render 'a' %}", loop)).toThrow(
      'the partial a renders itself (partial b, line 2, column 1)',
    );
    const chain = Object.fromEntries(
      [1, 2, 3, 4, 5, 6].map((n) => [`p${n}`, n < 6 ? `{% render 'p${n + 1}' %}` : '']),
    );
    expect(() => render("{% render 'p1' %}", chain)).toThrow('nested more than 5 levels deep');
    expect(render("{% render 'p2' %}", chain)).toBe('');
    expect(() => render('{% render name %}', {})).toThrow('requires the name of a partial in quotes');
  });

  it('name themselves in the faults of their source', () => {
    expect(() => render("{% render 'bad' %}", { bad: 'a\n{{ x | nope }}' })).toThrow(
      '(partial bad, line 2, column 1)',
    );
    expect(() => render("{% render 'bad' %}", { bad: '{% for i in (1..9999999) %}{% endfor %}' })).toThrow(
      /limit of a template \(partial bad, line 1/,
    );
  });

  it('share the budget of the template: doubling at every level ends', () => {
    const doubling = Object.fromEntries(
      [1, 2, 3, 4, 5].map((n) => [
        `p${n}`,
        n < 5 ? `{% for i in (1..40) %}{% render 'p${n + 1}' %}{% endfor %}` : 'x',
      ]),
    );
    expect(() => render("{% render 'p1' %}", doubling)).toThrow('limit of a template');
  });

  it('are charged for their arguments', () => {
    const many = Array.from({ length: 300 }, (_, n) => `a${n}: 1`).join(', ');
    const source = `{% for i in (1..9000) %}{% render 'p', ${many} %}{% endfor %}`;
    expect(() => render(source, { p: '' })).toThrow('limit of a template');
  });

  it('count for undefined variables and for the list of variables', () => {
    const source = "{% render 'card', title: user.name %}";
    const options = { locale: null, partials, budget: createBudget(), limit: 1_000 };
    expect(undefinedVariables(source, 'html', { user: { name: 'x' } }, options)).toEqual(['secret']);
    expect(variablesOf(source, 'html', partials)).toEqual(expect.arrayContaining(['user.name']));
  });

  it('and keys are listed as used', () => {
    const source =
      "{% render 'b' %}{% render 'a', x: 'k' %}{{ 'one' | t: n: 1 }}{% assign x = 'two' | t %}{{ x | t }}";
    const compiled = compile(source, 'text', { locale: null, partials: { a: "{{ 'inner' | t }}", b: '' } });
    expect(compiled.uses()).toEqual({ partials: ['a', 'b'], translates: true, keys: ['one', 'two'] });
    const strange = ['a\\0b', 'a b', '', '.a', 'a..b', 'x'.repeat(201), `${'a.'.repeat(10)}a`, 'a.b-c_1'];
    const named = strange.map((key) => `{{ '${key}' | t }}`).join('');
    expect(compile(named, 'text', { locale: null }).uses().keys).toEqual(['a.b-c_1']);
    expect(translationUses([])).toEqual({ translates: false, keys: [] });
  });
});

describe('translations', () => {
  const de: Catalogue = {
    locale: 'de',
    messages: {
      hello: 'Hallo %{name}',
      'cart.items': { one: '%{count} Artikel', other: '%{count} Artikel!' },
    },
  };
  const en: Catalogue = {
    locale: 'en',
    messages: {
      hello: 'Hello %{name}',
      bye: 'Bye & <good> luck',
      bye_html: '<b>Bye</b> %{name}',
      'cart.items': { one: 'one item', other: '%{count} items' },
    },
  };
  const pl: Catalogue = {
    locale: 'pl',
    messages: { n: { one: 'plik', few: 'pliki', many: 'plików', other: 'pliku' } },
  };
  const german: Translation = { locale: 'de', catalogues: [de, en] };
  const t = (source: string, translation: Translation, data = {}, flavour: Flavour = 'html') =>
    render(source, {}, { data, flavour, translation });

  it('come from the first catalogue that has the key, with arguments as data', () => {
    const data = { user: { name: '<Ada>' } };
    expect(t("{{ 'hello' | t: name: user.name }}", german, data)).toBe('Hallo &lt;Ada&gt;');
    expect(t("{{ 'hello' | t: name: user.name }}", german, data, 'text')).toBe('Hallo <Ada>');
    expect(t("{{ 'bye' | t }}", german)).toBe('Bye &amp; &lt;good&gt; luck');
    expect(t("{{ 'no.such' | t }}", german)).toBe('no.such');
    expect(t("{{ 'hello' | t }}", german)).toBe('Hallo ');
  });

  it('are HTML when the key ends with _html, and their arguments are escaped', () => {
    expect(t("{{ 'bye_html' | t: name: x }}", german, { x: '<script>' })).toBe('<b>Bye</b> &lt;script&gt;');
    expect(t("{{ '<i>_html' | t }}", german)).toBe('&lt;i&gt;_html');
  });

  it('keep arguments that are HTML, and escape the message around them', () => {
    const named =
      "{% capture b %}<b>{{ x }}</b>{% endcapture %}{{ 'bye_html' | t: name: b }};{{ 'hello' | t: name: b }}";
    const quoted: Catalogue = { locale: 'de', messages: { ...de.messages, hello: '<%{name}>' } };
    expect(t(named, { ...german, catalogues: [quoted, en] }, { x: '&' })).toBe(
      '<b>Bye</b> <b>&amp;</b>;&lt;<b>&amp;</b>&gt;',
    );
    expect(
      t("{% capture n %}1{% endcapture %}{{ 'cart.items' | t: count: n }}", {
        locale: 'en',
        catalogues: [en],
      }),
    ).toBe('one item');
    expect(t("{% capture b %}<b>{% endcapture %}{{ '<no>' | t: name: b }}", german)).toBe('&lt;no&gt;');
  });

  it('stay JSON in structured bodies', () => {
    const quoted: Catalogue = { locale: 'en', messages: { a: 'say "%{x}"' } };
    const json = t(
      `{"a": {{ 'a' | t: x: x }}, "b": "{{ 'a' | t: x: x }}"}`,
      { locale: 'en', catalogues: [quoted] },
      { x: '"' },
      'json',
    );
    expect(JSON.parse(json)).toEqual({ a: 'say """', b: 'say """' });
  });

  it('choose the plural form by the rules of the locale of the message', () => {
    const forms = (n: unknown) => t("{{ 'n' | t: count: n }}", { locale: 'pl', catalogues: [pl] }, { n });
    expect([1, 2, 5, 22, 1.5, '3', 'x', null].map(forms)).toEqual([
      ...['plik', 'pliki', 'plików', 'pliki', 'pliku', 'pliki', 'pliku', 'pliku'],
    ]);
    expect(t("{{ 'cart.items' | t: count: 1 }}", { locale: 'de', catalogues: [en] })).toBe('one item');
  });

  it('report keys that are missing in the wanted catalogue', () => {
    const missing = new Set<string>();
    t("{{ 'hello' | t }}{{ 'bye' | t }}{{ 'none' | t }}", { ...german, fallback: en, missing });
    expect([...missing]).toEqual(['bye', 'none']);
  });

  it('are recognizable in the pseudo-locale, with arguments and tags as they are', () => {
    const pseudo: Translation = { locale: 'en', catalogues: [en], isPseudo: true };
    expect(t("{{ 'hello' | t: name: 'Ada' }}", pseudo)).toBe('[Héłłö Ada ··]');
    expect(t("{{ 'bye_html' | t: name: 'Ada' }}", pseudo)).toBe('[<b>Býé</b> Ada ·]');
  });

  it('set the locale of dates', () => {
    expect(t("{{ '2026-03-01' | date: '%B' }}", german)).toBe('März');
    expect(t("{{ '2026-03-01' | date: '%c' }}", german)).toContain('2026');
  });

  it('need named arguments, and a catalogue', () => {
    expect(() => t("{{ 'hello' | t: 'x' }}", german)).toThrow('t takes named arguments');
    expect(() => render("{{ 'hello' | t }}", {})).toThrow('translations are not available here');
  });
});
