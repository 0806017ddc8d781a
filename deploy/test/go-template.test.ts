import { expect, test } from 'vitest';
import { Templates, type Value } from '../generate/go-template.ts';

const functions = {
  upper: (value: Value = null) => String(value).toUpperCase(),
  join: (...args: Value[]) => args.join('+'),
};

function render(text: string, dot: Value = {}): string {
  const templates = new Templates(functions);
  templates.add('main', text);
  return templates.render('main', dot);
}

test.each<[string, Value, string]>([
  ['a {{- " b " -}} c', {}, 'a b c'],
  ['{{ .a.b | join "x" (upper .c) }}', { a: { b: 1 }, c: 'y' }, 'x+Y+1'],
  ['{{ if .a }}1{{ else if .b }}2{{ else }}3{{ end }}', { a: [], b: 'x' }, '2'],
  ['{{ with .a }}{{ . }}{{ $.b }}{{ else }}none{{ end }}', { a: 'x', b: 'y' }, 'xy'],
  ['{{ range $k, $v := . }}{{ $k }}={{ $v }};{{ end }}', { b: 1, a: 2 }, 'a=2;b=1;'],
  ['{{ range .list }}[{{ . }}]{{ end }}', { list: ['x', 'y'] }, '[x][y]'],
  ['{{ define "n" }}<{{ .x }}>{{ end }}{{ include "n" (.y) | upper }}', { y: { x: 'z' } }, '<Z>'],
  ['{{ $a := "1" }}{{ if true }}{{ $a := "2" }}{{ $a }}{{ end }}{{ $a }}', {}, '21'],
  ['{{/* comment */}}{{ `raw "x"` }}', {}, 'raw "x"'],
])('%s renders as Go does', (text, dot, expected) => {
  expect(render(text, dot)).toBe(expected);
});

test.each<[string, Value]>([
  ['{{ lower "a" }}', {}],
  ['{{ .a.b }}', {}],
  ['{{ .a }}', {}],
  ['{{ $a }}', {}],
  ['{{ include "missing" . }}', {}],
  ['{{ if .a }}', {}],
  ['{{ end }}', {}],
  ['{{ .a }}', { a: 1_000_000 }],
])('%s is an error instead of a surprise', (text, dot) => {
  expect(() => render(text, dot)).toThrow();
});
