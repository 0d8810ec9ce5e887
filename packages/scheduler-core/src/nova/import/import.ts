import { WireError, WireErrors } from '../../report/versioned-object.ts'
import type { Code } from '../../text/codes.ts'
import { type Problem, problemAt, quote } from '../../text/problem.ts'
import { NovaError } from '../text/nova-error.ts'
import type { WrittenRequest } from './caller-paths.ts'

/** A document of Nova after its translation into this service's own form, which is then parsed. */
export interface ImportedDocument {
  readonly document: unknown
  /** Paths of fields that are set but that this release does not know. These fields have no effect. */
  readonly unknown: readonly string[]
  /** The keys that lead from the input to the document. Absent if the input is the document itself. */
  readonly root?: readonly string[]
  /** Only for a request: the document as it is stored. Paths in the typed form are translated with it to paths in the caller's document. */
  readonly nova?: WrittenRequest
}

export type Imported = ({ readonly ok: true } & ImportedDocument) | { readonly ok: false; readonly problems: readonly Problem[] }

type Path = readonly string[]

/** The paths at which the input contains the documents. */
export interface Roots {
  readonly spec?: Path
  readonly legacy?: Path
  /** Translates a path within the ComputeNode, because its names may differ from those of the object. */
  readonly computeNode?: (path: Path) => Path
}

/**
 * Runs an import. `where` translates a reader's path to the path in the document. If the document cannot be read, the result is a problem
 * with the caller's path, the found value and the allowed values. The message contains the path.
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
