/**
 * The part of Go's text/template that the chart uses, because Helm is a program in Go and no library for Node renders its charts. It is
 * stricter than Go where a chart could go wrong unnoticed: an unknown function, variable or template is an error, and so is a
 * field of nothing. `npm run try-chart` compares it with Go itself.
 */
export type Value = null | boolean | number | string | Value[] | { [name: string]: Value } | Method;
type Method = (...args: Value[]) => Value;
export type Functions = Record<string, Method>;

interface Scope {
  dot: Value;
  variables: Map<string, Value>;
}

type Node = (scope: Scope, out: string[]) => void;
type Expression = (scope: Scope) => Value;

export class TemplateError extends Error {}

export class Templates {
  readonly #functions: Functions;
  readonly #named = new Map<string, Node>();

  constructor(functions: Functions) {
    this.#functions = {
      ...functions,
      include: (name, dot = null) => this.render(String(name), dot),
    };
  }

  /** The definitions in the text, and the rest of it under the name of its file. */
  add(name: string, text: string): void {
    const parser = new Parser(tokensOf(text), this.#functions, (defined, body) =>
      this.#named.set(defined, body),
    );
    try {
      this.#named.set(name, parser.body());
    } catch (error) {
      throw new TemplateError(`${name}: ${(error as Error).message}`);
    }
  }

  render(name: string, dot: Value): string {
    const template = this.#named.get(name);
    if (!template) throw new TemplateError(`there is no template ${name}`);
    const out: string[] = [];
    template({ dot, variables: new Map([['$', dot]]) }, out);
    return out.join('');
  }
}

export function isTrue(value: Value): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

/** As Go prints a value. Large numbers of a YAML file are printed with an exponent, which no chart wants. */
export function printed(value: Value): string {
  if (typeof value === 'number' && Math.abs(value) >= 1e6)
    throw new TemplateError(`${value} would be printed with an exponent: make it a string`);
  if (value === null || typeof value === 'object' || typeof value === 'function')
    throw new TemplateError(`${JSON.stringify(value)} is printed`);
  return String(value);
}

type Token = { text: string } | { action: string };

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  let trimNext = false;
  for (const match of text.matchAll(/\{\{(- )?([\s\S]*?)( -)?\}\}/g)) {
    const [whole, trimBefore, inside = '', trimAfter] = match;
    let before = text.slice(at, match.index);
    if (trimNext) before = before.trimStart();
    if (trimBefore) before = before.trimEnd();
    if (before) tokens.push({ text: before });
    const action = inside.trim();
    if (!/^\/\*[\s\S]*\*\/$/.test(action)) tokens.push({ action });
    trimNext = trimAfter !== undefined;
    at = match.index + whole.length;
  }
  const rest = text.slice(at);
  tokens.push({ text: trimNext ? rest.trimStart() : rest });
  return tokens;
}

class Parser {
  readonly #tokens: Token[];
  readonly #functions: Functions;
  readonly #define: (name: string, body: Node) => void;

  constructor(tokens: Token[], functions: Functions, define: (name: string, body: Node) => void) {
    this.#tokens = tokens;
    this.#functions = functions;
    this.#define = define;
  }

  body(): Node {
    const { nodes, end } = this.#until([]);
    if (end !== null) throw new TemplateError(`unexpected {{ ${end} }}`);
    return sequence(nodes);
  }

  /** Nodes up to one of these actions; null at the end of the text. */
  #until(ends: string[]): { nodes: Node[]; end: string | null } {
    const nodes: Node[] = [];
    for (let token = this.#tokens.shift(); token; token = this.#tokens.shift()) {
      if ('text' in token) {
        const { text } = token;
        nodes.push((_scope, out) => out.push(text));
        continue;
      }
      const { action } = token;
      const word = /^\w*/.exec(action)?.[0] ?? '';
      if (ends.includes(word)) return { nodes, end: action };
      nodes.push(this.#action(word, action));
    }
    if (ends.length > 0) throw new TemplateError(`{{ ${ends.at(-1)} }} is missing`);
    return { nodes, end: null };
  }

  #action(word: string, action: string): Node {
    const rest = action.slice(word.length).trim();
    switch (word) {
      case 'if':
      case 'with':
        return this.#branch(word, rest);
      case 'range':
        return this.#range(rest);
      case 'define': {
        const name = /^"([^"]+)"$/.exec(rest)?.[1];
        if (!name) throw new TemplateError(`{{ ${action} }} has no name`);
        this.#define(name, sequence(this.#until(['end']).nodes));
        return () => {};
      }
      case 'else':
      case 'end':
        throw new TemplateError(`unexpected {{ ${action} }}`);
      default:
        return this.#output(action);
    }
  }

  #output(action: string): Node {
    const [, name, assigned] = /^(\$\w+)\s*:=\s*([\s\S]+)$/.exec(action) ?? [];
    if (name && assigned) {
      const value = this.#expression(assigned);
      return (scope) => {
        scope.variables.set(name, value(scope));
      };
    }
    const value = this.#expression(action);
    return (scope, out) => out.push(printed(value(scope)));
  }

  #branch(word: 'if' | 'with', condition: string): Node {
    const value = this.#expression(condition);
    const { nodes, end } = this.#until(['else', 'end']);
    const then = sequence(nodes);
    const [, elseWord, elseCondition] = /^else(?:\s+(if|with)\s+([\s\S]+))?$/.exec(end ?? '') ?? [];
    let otherwise: Node = () => {};
    if (elseWord && elseCondition) otherwise = this.#branch(elseWord as 'if' | 'with', elseCondition);
    else if (end === 'else') otherwise = sequence(this.#until(['end']).nodes);
    return (scope, out) => {
      const found = value(scope);
      if (!isTrue(found)) otherwise(inner(scope), out);
      else then(word === 'with' ? inner(scope, found) : inner(scope), out);
    };
  }

  #range(header: string): Node {
    const [, keyName, valueName, list = header] = /^(\$\w+),\s*(\$\w+)\s*:=\s*([\s\S]+)$/.exec(header) ?? [];
    const value = this.#expression(list);
    const body = sequence(this.#until(['end']).nodes);
    return (scope, out) => {
      const found = value(scope);
      if (found !== null && typeof found !== 'object') throw new TemplateError(`range over ${String(found)}`);
      const entries: [Value, Value][] = Array.isArray(found)
        ? found.map((each, index) => [index, each])
        : Object.entries(found ?? {}).sort(([a], [b]) => (a < b ? -1 : 1)); // Go sorts the keys of a map
      for (const [key, each] of entries) {
        const within = inner(scope, each);
        if (keyName && valueName) within.variables.set(keyName, key).set(valueName, each);
        body(within, out);
      }
    };
  }

  #expression(text: string): Expression {
    return pipeline(wordsOf(text), this.#functions);
  }
}

function sequence(nodes: Node[]): Node {
  return (scope, out) => {
    for (const node of nodes) node(scope, out);
  };
}

/** Variables that are declared inside a block end with it. */
function inner({ dot, variables }: Scope, innerDot: Value = dot): Scope {
  return { dot: innerDot, variables: new Map(variables) };
}

function wordsOf(text: string): string[] {
  const words: string[] = [];
  const pattern = /\s*("(?:\\.|[^"\\])*"|`[^`]*`|[()|]|[^\s()|"`]+)/y;
  while (pattern.lastIndex < text.trimEnd().length) {
    const [, word] = pattern.exec(text) ?? [];
    if (word === undefined) throw new TemplateError(`cannot read {{ ${text} }}`);
    words.push(word);
  }
  return words;
}

/** Takes the words up to the end or a closing parenthesis: `command | command`, where each command gets the value before it last. */
function pipeline(words: string[], functions: Functions): Expression {
  let value = command(words, functions, null);
  while (words[0] === '|') {
    words.shift();
    value = command(words, functions, value);
  }
  if (words.length > 0 && words[0] !== ')') throw new TemplateError(`unexpected ${words[0]}`);
  return value;
}

function command(words: string[], functions: Functions, piped: Expression | null): Expression {
  const first = words[0] ?? '';
  const called = functions[first];
  const callee = called ? undefined : operand(words, functions);
  if (called) words.shift();
  const args: Expression[] = [];
  while (words.length > 0 && words[0] !== '|' && words[0] !== ')') args.push(operand(words, functions));
  if (piped) args.push(piped);
  if (called) return (scope) => called(...args.map((arg) => arg(scope)));
  if (!callee) throw new TemplateError('an empty command');
  if (args.length === 0) return callee;
  return (scope) => {
    const method = callee(scope);
    if (typeof method !== 'function') throw new TemplateError(`${first} is not a function`);
    return method(...args.map((arg) => arg(scope)));
  };
}

function operand(words: string[], functions: Functions): Expression {
  const word = words.shift() ?? '';
  if (word === '(') {
    const value = pipeline(words, functions);
    if (words.shift() !== ')') throw new TemplateError('a parenthesis is not closed');
    return value;
  }
  if (word.startsWith('"')) return constant(JSON.parse(word));
  if (word.startsWith('`')) return constant(word.slice(1, -1));
  if (/^-?\d+$/.test(word)) return constant(Number(word));
  if (word === 'true' || word === 'false') return constant(word === 'true');
  if (/^\$?(\.\w+)*$|^\$\w+(\.\w+)*$|^\.$/.test(word)) return path(word);
  const named = functions[word];
  if (named) return () => named();
  throw new TemplateError(`unknown function ${word}`);
}

function constant(value: Value): Expression {
  return () => value;
}

function path(word: string): Expression {
  const [variable = '', ...fields] = word.split('.');
  const names = fields.filter((field) => field !== '');
  return ({ dot, variables }) => {
    let value = dot;
    if (variable) {
      const found = variables.get(variable);
      if (found === undefined) throw new TemplateError(`undefined variable ${variable}`);
      value = found;
    }
    for (const name of names) {
      if (value === null || typeof value !== 'object' || Array.isArray(value))
        throw new TemplateError(`${word}: there is no ${name} in ${JSON.stringify(value)}`);
      value = value[name] ?? null;
    }
    return value;
  };
}
