import type { Code } from '../../codes.ts'
import { type Problem, quote } from '../../problem.ts'
import { NovaError } from '../nova-error.ts'
import { WireError } from '../objects/wire.ts'
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
    if (error instanceof WireError)
      return problem(code, error.path.match(/nova_object\.\w+|[^.]+/g) ?? [], error.message, error.allowed, quote(error.found))
    if (error instanceof NovaError)
      return problem(
        code,
        error.at === undefined ? [] : (where?.(error.at) ?? error.at.split('.')),
        error.message,
        'a document that Nova can read',
        error.kind,
      )
    throw error
  }
}

const problem = (code: Code, path: readonly string[], message: string, expected: string, actual: string): Imported => ({
  ok: false,
  problems: [{ code, path, message, expected, actual }],
})
