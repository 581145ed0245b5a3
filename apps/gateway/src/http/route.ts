import type { Context } from 'hono';
import type { z } from 'zod';
import type { Scope } from '../configuration/configuration.js';
import type { Gateway } from '../gateway.js';

/** What a handler is given: parsed, or the request has been refused. */
export interface RouteInput<Query, Body> {
  readonly gateway: Gateway;
  /** The session named in the path as `{key}`; empty where the path names none. */
  readonly key: string;
  /** What stands in the path for any other name in braces, decoded. */
  parameter(name: string): string;
  readonly query: Query;
  readonly body: Body;
  readonly context: Context;
}

/** One operation of the API: what serves it and what describes it, side by side. */
export interface Route {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** With `{key}` where a session is named, and other names in braces for other things. */
  readonly path: string;
  /** What the caller's token must allow. Default: `read` for a `get`, `admin` for all else; `none` asks for no token. */
  readonly needs?: Scope | 'none';
  readonly summary: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** What a success looks like, in words. */
  readonly answer: string;
  /** Media types of a success. Default `application/json`. */
  readonly answerTypes?: readonly string[];
  /** Codes of the errors that are its own. */
  readonly errors?: readonly string[];
  handle(input: RouteInput<unknown, unknown>): Promise<Response>;
}

export function defineRoute<Query extends z.ZodObject = z.ZodObject, Body extends z.ZodType = z.ZodType>(
  route: Omit<Route, 'handle' | 'query' | 'body'> & {
    readonly query?: Query;
    readonly body?: Body;
    readonly handle: (input: RouteInput<z.output<Query>, z.output<Body>>) => Promise<Response>;
  },
): Route {
  return { ...route, handle: (input) => route.handle(input as RouteInput<z.output<Query>, z.output<Body>>) };
}

export function scopeNeeded({ needs, method }: Pick<Route, 'needs' | 'method'>): Scope | 'none' {
  return needs ?? (method === 'get' ? 'read' : 'admin');
}
