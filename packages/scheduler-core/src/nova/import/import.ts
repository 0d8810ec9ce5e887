import { WireError, WireErrors } from '../../report/versioned-object.ts'
import type { Code } from '../../text/codes.ts'
import { type Problem, problemAt, quote } from '../../text/problem.ts'
import { NovaError } from '../text/nova-error.ts'
import type { WrittenRequest } from './caller-paths.ts'

/** The result of an import: `document` is Nova's document in this service's form. It still has to be parsed. */
export interface ImportedDocument {
  readonly document: unknown
  /** Paths of fields in the input that have no effect, because this release does not know them. */
  readonly unknown: readonly string[]
  /** The path of Nova's document in the input. Absent if the input is the document itself. */
  readonly root?: readonly string[]
  /** Only for a request: Nova's document. It is needed to translate paths in this service's form to paths in Nova's document. */
  readonly nova?: WrittenRequest
}

export type Imported = ({ readonly ok: true } & ImportedDocument) | { readonly ok: false; readonly problems: readonly Problem[] }

type Path = readonly string[]

/** For each kind of document, its path in the caller's input. An error's path starts with the kind, which is then replaced by this path. */
export interface Roots {
  readonly spec?: Path
  readonly legacy?: Path
  /** Translates a path within the ComputeNode. A row of the table `compute_nodes` has other field names than the ComputeNode object. */
  readonly computeNode?: (path: Path) => Path
}

/**
 * Runs an import, and converts a WireError or NovaError to problems. A problem has the path in the caller's document, the found value and
 * what is allowed. `where` translates the path in a NovaError to a path in the caller's document.
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
          const text = at.length === 0 ? message.replace(path, 'the document') : message
          return problemAt(problemOf(code, at.length === 0 ? [] : named, text, allowed, quote(found)), at)
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
