import type { Code } from '../../codes.ts'
import { type Problem, quote } from '../../problem.ts'
import { NovaError } from '../nova-error.ts'
import { WireError, WireErrors } from '../objects/wire.ts'
import type { WrittenRequest } from './caller-paths.ts'

/** A document of Nova's in this service's words, for the parser of that form. */
export interface ImportedDocument {
  readonly document: unknown
  /** Paths of fields that are set and that this release does not know: they have no effect. */
  readonly unknown: readonly string[]
  /** Of a request: the document as it is kept, by which paths of the typed form are told as the caller wrote them. */
  readonly nova?: WrittenRequest
}

export type Imported = ({ readonly ok: true } & ImportedDocument) | { readonly ok: false; readonly problems: readonly Problem[] }

/** Runs an import; `where` says where what a reader names stands in the document. What the document cannot be read for becomes a problem with its path, what was found and what is allowed. */
export function attempt(code: Code, read: () => ImportedDocument, where?: (at: string) => readonly string[]): Imported {
  try {
    return { ok: true, ...read() }
  } catch (error) {
    const wrong = error instanceof WireErrors ? error.errors : error instanceof WireError ? [error] : []
    if (wrong.length > 0)
      return {
        ok: false,
        problems: wrong.map(({ path, message, allowed, found }) =>
          problemOf(code, path.match(/nova_object\.\w+|[^.]+/g) ?? [], message, allowed, quote(found)),
        ),
      }
    if (!(error instanceof NovaError)) throw error
    const path = error.at === undefined ? [] : (where?.(error.at) ?? error.at.split('.'))
    return { ok: false, problems: [problemOf(code, path, error.message, 'a document that Nova can read', error.kind)] }
  }
}

const problemOf = (code: Code, path: readonly string[], message: string, expected: string, actual: string): Problem => ({
  code,
  path,
  message,
  expected,
  actual,
})
