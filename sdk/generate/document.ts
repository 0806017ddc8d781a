/** The parts of openapi.json that the client is made from. */
export interface Document {
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, Schema> };
}

export interface Described {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: Schema;
}

export interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: boolean | Schema;
  patternProperties?: Record<string, Schema>;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  format?: string;
  examples?: unknown[];
}

const json = 'application/json';

/** What a success holds, or null; the first, because all successes of an operation hold the same, apart from previews. */
export function answerOf({ responses }: Described): { type: string; schema: Schema } | null {
  for (const [status, { content = {} }] of Object.entries(responses)) {
    const [found] = Object.entries(content);
    if (status.startsWith('2') && found) return { type: found[0], schema: found[1].schema };
  }
  return null;
}

/** What the operation answers when it starts what a preview has shown; null for operations without a preview. */
export function confirmedAnswerOf({ responses }: Described): Schema | null {
  const [shown, started] = ['200', '202'].map((status) => responses[status]?.content?.[json]?.schema);
  return started && shown && started.$ref !== shown.$ref ? started : null;
}

export function bodyOf({ requestBody }: Described): Schema | null {
  return requestBody?.content[json]?.schema ?? null;
}

export function parametersOf({ parameters = [] }: Described, place: Parameter['in']): Parameter[] {
  return parameters.filter((parameter) => parameter.in === place);
}

/** What recipients and providers open or call; pages to look at, redirects and streams: not for a program to call as a method. */
const forOthers = ['Unsubscribe', 'Tracking', 'Callbacks'];

export function isMethod(path: string, operation: Described): boolean {
  if (path.startsWith('/hooks/') || operation.tags.some((tag) => forOthers.includes(tag))) return false;
  if (Object.keys(operation.responses).some((status) => status.startsWith('3'))) return false;
  return !['text/html', 'text/event-stream'].includes(answerOf(operation)?.type ?? json);
}
