import { atOnce, quote, type Steps } from '@gantt/scheduler-core'
import { GraphQLError } from 'graphql'
import { turns } from '../../../event-loop/pauses.ts'
import { answerYielding } from '../../../event-loop/query.ts'
import { fault } from '../../../schema/types/faults.ts'
import { limits, overLimit } from '../../limits.ts'
import type { DocumentTexts } from '../document-cache.ts'
import type { Documents } from '../documents.ts'
import { type Body, LARGE_BYTES, type ReadRequest, readBody } from './bodies.ts'
import { isNestedBeyond } from './document-nesting.ts'

/** The parameters of a GraphQL call. */
export interface Params {
  readonly query: string
  readonly operationName?: string | null
  readonly variables?: Readonly<Record<string, unknown>> | null
  readonly extensions?: Readonly<Record<string, unknown>> | null
}

/** Several operations of one body. Each has its parameters, or the error of its parameters. */
export interface OperationList {
  readonly operations: readonly (Params | GraphQLError)[]
}

/**
 * Reads the parameters of a call, or of each operation of a list, from a JSON body. If an operation was sent by its id, its text is looked
 * up. The document's text is in its normal form. Throws an error for another content type, an unknown id, or a document that is too long or not GraphQL. Also throws for a
 * body that is not JSON, not a call or too large. A body that is too large is not read completely. `body` counts the bytes that are read,
 * and the memory of the parsed variables.
 */
export async function readParams(
  request: ReadRequest,
  documents: Documents,
  texts: DocumentTexts,
  body: Body,
): Promise<Params | OperationList> {
  const type = request.headers['content-type'] ?? ''
  // Only JSON is accepted, because a form on a page of another site cannot send it.
  if (!/^application\/(json|graphql\+json)\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(type))
    throw fault('GRAPHQL_VALIDATION_FAILED', `The content type is ${quote(type)}; it must be application/json`, {
      rule: 'http.content_type',
      found: quote(type),
      allowed: 'application/json',
      status: 415,
    })
  if (request.headers['content-encoding'] !== undefined)
    throw fault('GRAPHQL_VALIDATION_FAILED', 'The body is encoded; it must be sent without an encoding', {
      rule: 'http.content_encoding',
      status: 415,
    })
  const text = await readBody(request, body)
  if (text.length > LARGE_BYTES) await turns.admit()
  const parsed = parseJson(text)
  const isLarge = text.length > LARGE_BYTES
  const read = async (call: unknown, isListed: boolean): Promise<Params> => {
    const params = toParams(call, documents, texts, isListed)
    const check = checkVariablesInSteps(params.variables)
    if (isLarge) await answerYielding(check)
    else atOnce(check)
    return params
  }
  if (!Array.isArray(parsed)) {
    const params = await read(parsed, false)
    countMemory(params, body)
    return params
  }
  const count = parsed.length
  if (count === 0) throw wrong([], parsed, `a list of 1 to ${limits.operations} operations`)
  if (count > limits.operations)
    throw overLimit('operations', count, limits.operations, `The list has ${count} operations; at most ${limits.operations} are allowed.`)
  const operations: (Params | GraphQLError)[] = []
  for (const call of parsed) {
    const params = await read(call, true).catch((error: unknown) => {
      if (error instanceof GraphQLError) return error
      throw error
    })
    if (!(params instanceof GraphQLError)) countMemory(params, body)
    operations.push(params)
  }
  return { operations }
}

/** Counts the memory of checked variables. */
function countMemory({ variables }: Params, body: Body): void {
  const { containers, values } = sizeOf(variables)
  body.add(containers * limits.containerBytes + (values - containers) * limits.valueBytes)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw fault('GRAPHQL_PARSE_FAILED', `The body is ${quote(text)}; it must be JSON`, {
      rule: 'http.body',
      found: quote(text),
      allowed: 'JSON',
    })
  }
}

/** Throws an error unless the body is one call. A call of a list must have the id of its document. */
function toParams(body: unknown, documents: Documents, texts: DocumentTexts, isListed: boolean): Params {
  if (Array.isArray(body)) throw wrong([], body, 'one operation, not a list of operations')
  if (body === null || typeof body !== 'object') throw wrong([], body, 'an object with the member query or documentId')
  const { query: sent, documentId, operationName, variables, extensions, ...others } = body as Record<string, unknown>
  const [unknown] = Object.keys(others)
  if (unknown !== undefined)
    throw wrong([unknown.slice(0, 80)], others[unknown], 'one of query, documentId, operationName, variables, extensions')
  if (isListed && documentId === undefined)
    throw wrong(
      ['documentId'],
      documentId,
      'the id of a document that was sent in a call of its own before: sha256: and the hash of its text',
    )
  const query = documentId === undefined ? sent : textOf(documentId, sent, documents, texts)
  if (typeof query !== 'string' || query === '') throw wrong(['query'], query, 'the text of an operation')
  if (operationName !== undefined && operationName !== null && typeof operationName !== 'string')
    throw wrong(['operationName'], operationName, 'a name')
  if (!isMap(variables)) throw wrong(['variables'], variables, 'an object')
  if (!isMap(extensions)) throw wrong(['extensions'], extensions, 'an object')
  checkLength(query)
  const normal = normalOf(query, texts)
  checkDepth(normal)
  return { query: normal, ...(operationName ? { operationName } : {}), ...(variables ? { variables } : {}) }
}

/** The text of an operation that was sent by its id. */
function textOf(documentId: unknown, sent: unknown, documents: Documents, texts: DocumentTexts): string {
  if (sent !== undefined) throw wrong(['documentId'], documentId, 'left out where query is sent')
  const text = typeof documentId === 'string' ? (documents.get(documentId) ?? texts.ofId(documentId)) : undefined
  if (text !== undefined) return text
  throw unknownDocument(documentId, documents.size)
}

/** The error of an operation whose document is not known here. */
const unknownDocument = (documentId: unknown, count: number): GraphQLError =>
  fault('PERSISTED_DOCUMENT_NOT_FOUND', `The operation ${quote(documentId)} is not known here; send its text as query.`, {
    path: ['documentId'],
    found: quote(documentId),
    allowed: `the id of one of the ${count} operations of this service’s own console, or of a document that was sent to this replica lately`,
  })

/** A document has a much lower limit than the whole body, because large requests have large variables and not long documents. */
function checkLength(query: string): void {
  const bytes = Buffer.byteLength(query)
  if (bytes > limits.documentBytes)
    throw fault(
      'GRAPHQL_VALIDATION_FAILED',
      `The document has ${bytes} bytes; at most ${limits.documentBytes} are allowed. Send long values as variables.`,
      {
        path: ['query'],
        rule: 'limit.document',
        found: `${bytes} bytes`,
        allowed: `at most ${limits.documentBytes} bytes`,
        status: 413,
      },
    )
}

function normalOf(query: string, texts: DocumentTexts): string {
  try {
    return texts.normal(query)
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error
    throw fault('GRAPHQL_PARSE_FAILED', error.message.slice(0, 300))
  }
}

/** The parser and the validation are recursive, so the depth of a document is limited before they run. */
function checkDepth(query: string): void {
  if (isNestedBeyond(query, limits.nesting)) throw tooDeep(['query'])
}

/** A list or an object in the variables. */
interface Spot {
  readonly value: object
  readonly key: string
  readonly parent: Spot | undefined
  readonly depth: number
}

const pathOf = (spot: Spot): readonly string[] => {
  const path: string[] = []
  for (let at: Spot | undefined = spot; at?.parent !== undefined; at = at.parent) path.push(at.key.slice(0, 80))
  return path.reverse()
}

/** An object with more keys than this is wide. No input has as many fields. */
const WIDE_KEYS = 500

const wide = new WeakSet<object>()

/** How many values variables have, and how many of these are lists and objects. */
interface Size {
  readonly values: number
  readonly containers: number
}

const NOTHING: Size = { values: 0, containers: 0 }

/** The sizes of checked variables. */
const sizes = new WeakMap<object, Size>()

const sizeOf = (variables: object | null | undefined): Size => (variables && sizes.get(variables)) ?? NOTHING

/** Variables with more values than this are large. */
export const LARGE_VALUES = 2_000

/** Returns true if checking and reading the variables takes long, so that the call should yield meanwhile. */
export const areLarge = (variables: object): boolean => sizeOf(variables).values > LARGE_VALUES

/**
 * Returns true if variables contain a wide object. For a value that does not fit its type, the executor would print all keys of a wide
 * object, once for each error. A call with such variables is therefore checked for errors before it runs.
 */
export const areWide = (variables: object): boolean => wide.has(variables)

/** The check of variables yields after this many lists and objects. */
const CONTAINERS_AT_ONCE = 1_000

/** Checks depth, lengths and count of values in the variables, before other code reads them. */
function* checkVariablesInSteps(variables: object | null | undefined): Steps<void> {
  let values = 0
  let containers = 0
  let visited = 0
  const waiting: Spot[] = variables ? [{ value: variables, key: '', parent: undefined, depth: 0 }] : []
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (++visited % CONTAINERS_AT_ONCE === 0) yield
    const { value, depth } = next
    if (depth > limits.nesting) throw tooDeep(pathOf(next).slice(0, 8))
    if (Array.isArray(value) && value.length > limits.listItems) {
      const path = pathOf(next)
      throw fault(
        'GRAPHQL_VALIDATION_FAILED',
        `${path.join('.')} is a list of ${value.length}; it must be a list of at most ${limits.listItems}`,
        {
          path,
          rule: 'limit.list',
          found: quote(value),
          allowed: `a list of at most ${limits.listItems}`,
        },
      )
    }
    const keys = Object.keys(value)
    values += keys.length
    if (keys.length > WIDE_KEYS && !Array.isArray(value)) wide.add(variables as object)
    if (values > limits.values)
      throw overLimit(
        'values',
        `more than ${limits.values}`,
        limits.values,
        `The variables have more than ${limits.values} values, including those within lists and objects; at most ${limits.values} are allowed. Send them in several calls.`,
      )
    for (const key of keys) {
      const item: unknown = (value as Readonly<Record<string, unknown>>)[key]
      if (item === null || typeof item !== 'object') continue
      containers++
      waiting.push({ value: item, key, parent: next, depth: depth + 1 })
    }
  }
  if (variables) sizes.set(variables, { values, containers })
}

const tooDeep = (path: readonly string[]) =>
  fault('GRAPHQL_VALIDATION_FAILED', `${path.join('.')} is nested more than ${limits.nesting} deep`, {
    path,
    rule: 'limit.depth',
    found: `more than ${limits.nesting} levels`,
    allowed: `at most ${limits.nesting} levels`,
  })

const isMap = (value: unknown): value is Record<string, unknown> | null | undefined =>
  value === undefined || value === null || (typeof value === 'object' && !Array.isArray(value))

const wrong = (path: readonly string[], found: unknown, allowed: string) => {
  const place = path.join('.') || 'the body'
  return fault('GRAPHQL_VALIDATION_FAILED', `${place} is ${found === undefined ? 'missing' : quote(found)}; it must be ${allowed}`, {
    path,
    rule: 'http.body',
    found: quote(found),
    allowed,
  })
}
