import { invalid } from './errors.ts';
import { createList, type Paging } from './list.ts';
import type { GuardedOptions, KeyedOptions, Transport } from './transport.ts';

/** A row of the generated tables: how a method becomes a request. */
export interface Operation {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `/v1/things/{id}`: every name in braces is an argument, in this order. */
  path: string;
  /** These parameters go into the query, the others into the body. */
  query?: readonly string[];
  body?: true;
  list?: Paging;
  /** Takes an idempotency key: in its header, or one in each element of this field. */
  key?: 'header' | 'notifications';
  /** Takes the version that it is meant for, in the header If-Match. */
  guarded?: true;
  /** A POST that may be made twice. */
  repeatable?: true;
  /** Answers with text instead of JSON. */
  text?: true;
}

export interface Table {
  readonly [name: string]: Operation | Table;
}

/** Turns a table into the object of methods that `Api`, generated beside it, describes. */
export function bind<Api>(table: Table, transport: Transport): Api {
  const entries = Object.entries(table).map(([name, row]) => [
    name,
    isOperation(row) ? method(row, transport) : bind(row, transport),
  ]);
  return Object.fromEntries(entries) as Api;
}

function isOperation(row: Operation | Table): row is Operation {
  return typeof row.path === 'string';
}

type Params = Record<string, unknown>;
type Options = KeyedOptions & GuardedOptions;

function method(operation: Operation, transport: Transport) {
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return (...args: unknown[]): unknown => {
    const rest = args.slice(names.length);
    const params = (operation.body || operation.query ? rest.shift() : undefined) as Params | undefined;
    const options = (rest[0] ?? {}) as Options;
    const send = async (given: Params | undefined): Promise<unknown> => {
      const path = fillPath(operation.path, names, args);
      return transport.send(request(operation, path, given, options), options);
    };
    return operation.list ? createList(operation.list, params ?? {}, send) : send(params);
  };
}

function fillPath(path: string, names: string[], args: unknown[]): string {
  return names.reduce((filled, name, index) => {
    const value = args[index];
    const text = typeof value === 'number' ? String(value) : value;
    // URLs fold `.` and `..` away, also encoded: the request would go elsewhere. Half a surrogate pair has no encoding.
    if (typeof text !== 'string' || ['', '.', '..'].includes(text) || /\p{Surrogate}/u.test(text)) {
      throw invalid(`${name} must be a string that is valid in a path.`, name);
    }
    return filled.replace(`{${name}}`, () => encodeURIComponent(text));
  }, path);
}

const keyIn = ({ idempotency_key: key }: Params): string | null => (typeof key === 'string' ? key : null);

function request(operation: Operation, path: string, params: Params = {}, options: Options) {
  const { method, query = [], key, text } = operation;
  const search = new URLSearchParams();
  const body: Params = {};
  for (const [name, value] of Object.entries(params)) {
    // Without a body, also a misspelt one goes into the query, where the service refuses it.
    if (operation.body && !query.includes(name)) body[name] = value;
    else if (value !== undefined && value !== null) search.set(name, String(value));
  }
  if (key === 'notifications' && Array.isArray(body[key])) body[key] = body[key].map(withKey);
  const headers: Record<string, string> = {};
  if (key === 'header')
    headers['idempotency-key'] = options.idempotency_key ?? keyIn(body) ?? crypto.randomUUID();
  const guarded = operation.guarded === true && options.if_match !== undefined;
  if (guarded) headers['if-match'] = `"${options.if_match}"`;
  return {
    method,
    path: [path, search].filter(String).join('?'),
    body: operation.body ? toJson(body) : undefined,
    headers,
    // What was guarded and has been done is no longer at its version: made again, it would be told of a conflict with itself.
    repeatable: !guarded && (method !== 'POST' || key !== undefined || operation.repeatable === true),
    text,
  };
}

/** Looks for the parameter at fault only when there is one: bodies may be large. */
function toJson(body: Params): string {
  try {
    return JSON.stringify(body);
  } catch {
    const param = Object.keys(body).find((name) => !isJson(body[name])) ?? 'body';
    throw invalid(
      `${param} cannot be serialized as JSON: BigInt values and circular references are not supported.`,
      param,
    );
  }
}

function isJson(value: unknown): boolean {
  try {
    JSON.stringify(value);
    return true;
  } catch {
    return false;
  }
}

/** So that a batch made again does not send again what the first one sent. */
function withKey(element: unknown): unknown {
  if (typeof element !== 'object' || element === null) return element;
  const { idempotency_key } = element as { idempotency_key?: unknown };
  return { ...element, idempotency_key: idempotency_key ?? crypto.randomUUID() };
}
