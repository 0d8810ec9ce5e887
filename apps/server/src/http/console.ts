import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import path from 'node:path'
import { acceptedEncoding } from './compression.ts'

/** Serves the console's files. Returns false for a URL that does not belong to the console. */
export type ConsoleHandler = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/**
 * Paths of the console's pages. Every URL below them is answered with the console's single document, which interprets the rest of the URL.
 */
const pages = [
  '/overview',
  '/hosts',
  '/decisions',
  '/aggregates',
  '/simulate',
  '/profiles',
  '/claims',
  '/replicas',
  '/audit',
  '/keys',
  '/graphiql',
  '/settings',
]

/**
 * The content security policy of a page. It allows only the console's own files and its own service. Inline styles are also allowed,
 * because the component library writes its variables as style elements.
 */
const policy = (framedBy: "'none'" | "'self'"): string =>
  [
    "default-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    `frame-ancestors ${framedBy}`,
  ].join('; ')

/** The one document that a page of the console shows in a frame. */
const FRAMED = '/graphiql-frame.html'

/** Files in this folder have a hash of their content in their name, so they never change. */
const HASHED = '/assets/'

interface Representation {
  readonly body: Buffer
  readonly etag: string
}

/** The folder of the built console, in its own package. */
export const consoleFolder = (): string =>
  path.join(path.dirname(createRequire(import.meta.url).resolve('@gantt/console/package.json')), 'dist')

/** Serves a folder that `vite build` wrote, with its precompressed files. Files with a hash in their name are read once and cached. */
export function createConsole(folder: string): ConsoleHandler {
  const files = new Map<string, Promise<Representation | undefined>>()
  const read = (file: string): Promise<Representation | undefined> => {
    const known = files.get(file)
    if (known !== undefined) return known
    const loading = readFile(path.join(folder, file)).then(
      (body) => ({ body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"` }),
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT' || error.code === 'EISDIR' || error.code === 'ENOTDIR') return undefined
        throw error
      },
    )
    // missing files are not cached, because callers could otherwise fill the memory with invented URLs
    void loading.then((found) => found === undefined && files.delete(file)).catch(() => files.delete(file))
    // other files change with the next build, so they are not cached
    if (file.startsWith(HASHED)) files.set(file, loading)
    return loading
  }

  return async (request, response) => {
    const file = fileFor(request.url ?? '/')
    if (file === undefined || (request.method !== 'GET' && request.method !== 'HEAD')) return false
    const plain = await read(file)
    if (plain === undefined) return false
    const encoding = acceptedEncoding(String(request.headers['accept-encoding'] ?? ''))
    const suffix = encoding === undefined ? undefined : { br: '.br', gzip: '.gz' }[encoding]
    const packed = suffix === undefined ? undefined : await read(`${file}${suffix}`)
    const { body, etag } = packed ?? plain
    const headers = {
      'content-type': types[path.extname(file)] ?? 'application/octet-stream',
      'cache-control': file.startsWith(HASHED) ? 'public, max-age=31536000, immutable' : 'no-cache',
      vary: 'accept-encoding',
      etag,
      'content-security-policy': policy(file === FRAMED ? "'self'" : "'none'"),
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      ...(packed === undefined ? {} : { 'content-encoding': encoding }),
    }
    if (request.headers['if-none-match'] === etag) {
      response.writeHead(304, headers).end()
      return true
    }
    response.writeHead(200, { ...headers, 'content-length': body.length })
    response.end(request.method === 'HEAD' ? undefined : body)
    return true
  }
}

/** The file for a URL; undefined for URLs outside of the console. */
function fileFor(url: string): string | undefined {
  const [address = '/'] = url.split('?')
  if (address === '/' || pages.some((page) => address === page || address.startsWith(`${page}/`))) return '/index.html'
  // only paths of a build are allowed: one name in at most one folder, without a parent folder
  return /^\/(assets\/)?[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/.test(address) && Object.hasOwn(types, path.extname(address))
    ? address
    : undefined
}
