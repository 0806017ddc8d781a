import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

const source = fileURLToPath(new URL('../src/', import.meta.url));

/** What people read or hear, wherever it is given: as an attribute, or as a field of a column, a menu entry, a tab. */
const spoken = new Set([
  'label',
  'title',
  'placeholder',
  'aria-label',
  'alt',
  'description',
  'header',
  'hint',
  'confirm',
]);

test('every text of the dashboard stands in the catalogue', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.tsx'),
  );
  expect(files.length).toBeGreaterThan(30);
  expect(files.flatMap((name) => literalTexts(name, readFileSync(source + name, 'utf8')))).toEqual([]);
});

test('a text that stands in a page is found', () => {
  const planted = `
    const columns = [{ header: 'Name', cell: () => <b>{isOn ? 'Yes' : mark}</b> }];
    export const Page = () => (
      <Card title="Title">
        Hello <Kbd>Ctrl K</Kbd> · –
        <input placeholder={'Search'} aria-label={\`Find \${name}\`} alt="" />
        {isBusy && \`\${count} left\`}
      </Card>
    );`;
  expect(literalTexts('planted.tsx', planted)).toEqual([
    'planted.tsx:2 Name',
    'planted.tsx:2 Yes',
    'planted.tsx:4 Title',
    'planted.tsx:5 Hello',
    'planted.tsx:6 Search',
    'planted.tsx:6 Find',
    'planted.tsx:7 left',
  ]);
});

test('people read the names of services, not the words that the API has for them', () => {
  const files = readdirSync(`${source}strings`);
  expect(files.length).toBeGreaterThan(10);
  const found = files.flatMap((name) => {
    const text = readFileSync(`${source}strings/${name}`, 'utf8');
    return wordsOf(text).filter((each) => /\b(?:chat(?:one|two|three)|sms(?:one|two))\b/i.test(each));
  });
  // Where the wire name stands beside the name.
  expect(found.filter((each) => !/\b(?:Twilio|Vonage)\b.*In the API: \w+\.$/.test(each))).toEqual([]);
});

/** The texts of a catalogue, without the names of its fields. */
function wordsOf(text: string): string[] {
  const file = ts.createSourceFile('strings.ts', text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node) => {
    const isText =
      ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
    if (isText && !ts.isPropertyAssignment(node.parent)) found.push(node.text);
    else if (isText && (node.parent as ts.PropertyAssignment).initializer === node) found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function literalTexts(name: string, text: string): string[] {
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const found: string[] = [];
  const report = (node: ts.Node, literal: string) => {
    if (!/\p{L}/u.test(literal)) return;
    const { line } = file.getLineAndCharacterOfPosition(node.getStart());
    found.push(`${name}:${line + 1} ${literal.trim()}`);
  };
  const visit = (node: ts.Node) => {
    if (ts.isJsxText(node) && !isKey(node.parent)) report(node, node.text);
    if (ts.isJsxExpression(node) && node.expression && !ts.isJsxAttribute(node.parent)) {
      reportLiterals(node.expression, report);
    }
    const named =
      ts.isJsxAttribute(node) || ts.isPropertyAssignment(node) ? node.name.getText().replaceAll("'", '') : '';
    if (spoken.has(named)) {
      const { initializer } = node as ts.JsxAttribute | ts.PropertyAssignment;
      if (initializer) reportLiterals(initializer, report);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** The values that an expression may have, as far as they are written there. */
function reportLiterals(node: ts.Node, report: (node: ts.Node, literal: string) => void): void {
  if (ts.isJsxExpression(node) || ts.isParenthesizedExpression(node)) {
    if (node.expression) reportLiterals(node.expression, report);
  } else if (ts.isStringLiteralLike(node)) {
    report(node, node.text);
  } else if (ts.isTemplateExpression(node)) {
    report(
      node,
      [node.head, ...node.templateSpans.map((span) => span.literal)].map(({ text }) => text).join(' '),
    );
  } else if (ts.isConditionalExpression(node)) {
    reportLiterals(node.whenTrue, report);
    reportLiterals(node.whenFalse, report);
  } else if (ts.isBinaryExpression(node)) {
    reportLiterals(node.right, report);
  }
}

/** Keys are called what is printed on them. */
function isKey(node: ts.Node): boolean {
  return ts.isJsxElement(node) && node.openingElement.tagName.getText() === 'Kbd';
}
