import type { Code } from '../../codes.ts'
import { type Problem, problemAt, quote } from '../../problem.ts'
import { NovaError } from '../nova-error.ts'
import { WireError, WireErrors } from '../objects/wire.ts'
import type { WrittenRequest } from './caller-paths.ts'

/** A document of Nova's in this service's words, for the parser of that form. */
export interface ImportedDocument {
  readonly document: unknown
  /** Paths of fields that are set and that this release does not know: they have no effect. */
  readonly unknown: readonly string[]
  /** Keys that lead to the document in what the caller gave; none where that is the document. */
  readonly root?: readonly string[]
  /** Of a request: the document as it is kept, by which paths of the typed form are told as the caller wrote them. */
  readonly nova?: WrittenRequest
}

export type Imported = ({ readonly ok: true } & ImportedDocument) | { readonly ok: false; readonly problems: readonly Problem[] }

type Path = readonly string[]

/** Where the caller wrote what readers name by the root of what they read: a document that stands alone has no such root. */
export interface Roots {
  readonly spec?: Path
  readonly legacy?: Path
  /** Names may be others there too. */
  readonly computeNode?: (path: Path) => Path
}

/**
 * Runs an import; `where` says where what a reader names stands in the document. What the document cannot be read for becomes a problem with
 * its path as the caller wrote it, what was found and what is allowed; the message names the path.
 */
export function attempt(code: Code, read: () => ImportedDocument, roots: Roots, where?: (at: string) => Path): Imported {
  try {
    return { ok: true, ...read() }
  } catch (error) {
    const wrong = error instanceof WireErrors ? error.errors : error instanceof WireError ? [error] : []
    if (wrong.length > 0)
      return {
        ok: false,
        problems: wrong.map(({ path, message, allowed, found }) => {
          const named = path.match(/nova_object\.\w+|[^.]+/g) ?? []
          const root = Object.hasOwn(roots, named[0] ?? '') ? roots[named[0] as keyof Roots] : undefined
          const inner = named.slice(1)
          const at = root === undefined ? named : typeof root === 'function' ? root(inner) : [...root, ...inner]
          const said = at.length === 0 ? message.replace(path, 'the document') : message
          return problemAt(problemOf(code, at.length === 0 ? [] : named, said, allowed, quote(found)), at)
        }),
      }
    if (!(error instanceof NovaError)) throw error
    const path = error.at === undefined ? [] : (where?.(error.at) ?? error.at.split('.'))
    return {
      ok: false,
      problems: [
        problemAt(
          problemOf(code, error.at === undefined ? [] : [error.at], error.message, 'a document that Nova can read', error.kind),
          path,
        ),
      ],
    }
  }
}

const problemOf = (code: Code, path: readonly string[], message: string, expected: string, actual: string): Problem => ({
  code,
  path,
  message,
  expected,
  actual,
})
