import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import type { MiddlewareHandler } from 'hono';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

/** Serves the built page from `folder`. Only files that were there at the start are served, whatever a path says. */
export function servePage(folder: string): MiddlewareHandler {
  const files = new Map(filesIn(folder).map((file) => [urlOf(folder, file), file]));
  return async (context, next) => {
    if (context.req.method !== 'GET' && context.req.method !== 'HEAD') return next();
    const path = context.req.path === '/' ? '/index.html' : context.req.path;
    const file = files.get(path);
    if (file === undefined) {
      if (path !== '/index.html') return next();
      return context.text('The web page has not been built. Run the build, then start again.\n', 503);
    }
    // The bundler puts a hash of the content into the names under assets/: they never change.
    const isHashed = path.startsWith('/assets/');
    return context.body(readFileSync(file), 200, {
      'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
      'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    });
  };
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      .filter((path) => statSync(path).isFile());
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function urlOf(folder: string, file: string): string {
  return `/${relative(folder, file).split(sep).join('/')}`;
}
