import { z } from 'zod';
import { VERSION } from '../version.js';
import { type Route, scopeNeeded } from './route.js';

/** Describes the routes as OpenAPI 3.1. */
export function describeApi(routes: readonly Route[]) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method]: describeRoute(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Holdfast',
      version: VERSION,
      description: 'Sessions and chat of a Holdfast gateway. All names in snake_case, times ISO 8601 in UTC.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'Needed where the gateway has a token in force.',
        },
      },
      schemas: {
        Problem: {
          type: 'object',
          required: ['error'],
          properties: {
            error: {
              type: 'object',
              required: ['code', 'message'],
              properties: {
                code: { type: 'string', description: 'Stable.' },
                message: { type: 'string', description: 'What, where, and what to do.' },
              },
            },
            type: { type: 'string' },
            title: { type: 'string' },
            status: { type: 'integer' },
            detail: { type: 'string' },
          },
        },
      },
    },
  };
}

function describeRoute(route: Route) {
  const needed = scopeNeeded(route);
  const path = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    description: name === 'key' ? 'A key or an alias of a session, URL-encoded.' : 'URL-encoded.',
    schema: { type: 'string' },
  }));
  const problem = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };
  return {
    operationId: operationId(route),
    summary: route.summary,
    security: needed === 'none' ? [] : [{}, { token: [needed] }],
    parameters: [...path, ...(route.query === undefined ? [] : queryParameters(route.query))],
    ...(route.body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: jsonSchema(route.body) } },
          },
        }),
    responses: {
      200: {
        description: route.answer,
        content: Object.fromEntries((route.answerTypes ?? ['application/json']).map((type) => [type, {}])),
      },
      default: {
        description: ['An error.', ...(route.errors ?? [])].join(' '),
        content: problem,
      },
    },
  };
}

function operationId({ method, path }: Route): string {
  const words = path
    .replace(/^\/api/, '')
    .replaceAll(/[{}]/g, '')
    .split(/[/.]/)
    .filter(Boolean);
  return [method, ...words.map((word) => word[0]?.toUpperCase() + word.slice(1))].join('');
}

function queryParameters(query: z.ZodObject) {
  const { properties = {}, required = [] } = jsonSchema(query) as {
    properties?: Record<string, { description?: string }>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema,
  }));
}

function jsonSchema(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return rest;
}
