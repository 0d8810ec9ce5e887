import { type Problem, quote } from '@gantt/scheduler-core'
import type { Asker } from './asker.ts'

/** Checks documents in the namespaces of plug-ins before they are written to the log. */
export interface Documents {
  /**
   * The problems of each of these documents, in order. Paths begin with `document`. A document that could not be checked has a problem that
   * names the plug-in. The promise rejects only if no plug-in provides the namespace.
   */
  check(namespace: string, documents: readonly unknown[]): Promise<readonly (readonly Problem[])[]>
}

/** How long a caller waits for one answer, in milliseconds. This includes waiting for earlier calls of the same thread. */
const TIMEOUT_MS = 10_000
/** At most this many documents are sent to a thread at once, so that the thread can check them in time. */
const MAX_DOCUMENTS = 64
const MAX_DOCUMENT_CHARACTERS = 524_288
/** A problem contains at most this many characters of a schema's message. */
const MAX_MESSAGE_CHARACTERS = 200

/** `checkerOf` returns the thread that checks the documents of a namespace; undefined if no plug-in provides the namespace. */
export function createDocuments(checkerOf: (namespace: string) => Asker | undefined): Documents {
  return {
    async check(namespace, documents) {
      const asker = checkerOf(namespace)
      if (asker === undefined) throw new Error(`no plug-in provides the namespace ${namespace}`)
      const problems: (readonly Problem[])[] = []
      // one call after the other, because the time limit applies to each call separately
      for (const some of portionsOf(documents)) problems.push(...(await checkSome(asker, namespace, some)))
      return problems
    },
  }
}

/** For a service without plug-ins: no namespace has a check. */
export const noDocuments: Documents = createDocuments(() => undefined)

async function checkSome(asker: Asker, namespace: string, documents: readonly unknown[]): Promise<readonly (readonly Problem[])[]> {
  const unchecked = (why: string): readonly Problem[] => [toUnchecked(namespace, asker.title, why)]
  let answers: unknown
  try {
    answers = await asker.ask({ part: namespace, kind: 'namespace', documents }, TIMEOUT_MS)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return documents.map(() => unchecked(why))
  }
  const bad = (what: string): readonly Problem[] => {
    asker.noteBad(namespace, what)
    return unchecked(what)
  }
  if (!Array.isArray(answers) || answers.length !== documents.length) {
    const problems = bad(`it returned ${quote(answers)}; it must return a list of ${documents.length}`)
    return documents.map(() => problems)
  }
  return answers.map((answer: unknown) => {
    if (answer === true) return []
    if (isRecord(answer) && typeof answer.error === 'string') return bad(answer.error.slice(0, MAX_MESSAGE_CHARACTERS))
    const issues: readonly unknown[] = isRecord(answer) && Array.isArray(answer.issues) ? answer.issues : []
    const problems = issues.filter(isIssue).map(toProblem)
    return problems.length > 0 ? problems : bad(`it returned ${quote(answer)}; it must return true, or what is wrong`)
  })
}

/** Splits documents into portions that can be checked in time. */
function portionsOf(documents: readonly unknown[]): readonly (readonly unknown[])[] {
  const portions: unknown[][] = []
  let left = 0
  for (const document of documents) {
    const length = JSON.stringify(document ?? null).length
    const last = portions.at(-1)
    if (last === undefined || last.length >= MAX_DOCUMENTS || length > left) {
      portions.push([document])
      left = MAX_DOCUMENT_CHARACTERS - length
    } else {
      last.push(document)
      left -= length
    }
  }
  return portions
}

interface SchemaIssue {
  readonly message: string
  readonly path: readonly string[]
}

const isIssue = (issue: unknown): issue is SchemaIssue =>
  isRecord(issue) &&
  typeof issue.message === 'string' &&
  Array.isArray(issue.path) &&
  issue.path.every((step: unknown) => typeof step === 'string')

function toProblem({ message, path }: SchemaIssue): Problem {
  const where = ['document', ...path]
  const words = message.slice(0, MAX_MESSAGE_CHARACTERS)
  return { code: 'stats.invalid', path: where, message: `${where.join('.')}: ${words}`, expected: words, actual: 'something else' }
}

const toUnchecked = (namespace: string, by: string, why: string): Problem => ({
  code: 'stats.unchecked',
  path: ['document'],
  message: `The document of ${namespace} was not checked, so it is not accepted: ${by}: ${why.slice(0, MAX_MESSAGE_CHARACTERS)}`,
  expected: 'checked by its plug-in',
  actual: 'unchecked',
})

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => value !== null && typeof value === 'object'
