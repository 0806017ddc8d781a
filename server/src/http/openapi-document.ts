import type { JsonSchema } from './openapi-schemas.ts';

/** The parts of an OpenAPI 3.1 document that ours uses. */
export interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string; summary: string; description: string; license: object };
  servers: { url: string; description?: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  /** The calls that the service makes, by the type of the event. */
  webhooks: Record<string, { post: Operation }>;
  components: {
    schemas: Record<string, JsonSchema>;
    responses: Record<string, Response>;
    headers: Record<string, object>;
    securitySchemes: Record<string, object>;
  };
}

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  security: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: OpenApiContent };
  responses: Record<string, Response | { $ref: string }>;
  'x-required-scope'?: string;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: JsonSchema;
}

export interface Response {
  description: string;
  headers?: Record<string, object>;
  content?: OpenApiContent;
}

type OpenApiContent = Record<string, { schema: JsonSchema }>;
/** Adds a schema to the document: a named one goes to the components, with a reference in its place. */
export type ParameterLocation = (schema: unknown) => JsonSchema;

export const requestIdHeader = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } };
