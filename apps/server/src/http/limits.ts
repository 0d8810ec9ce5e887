import type { GraphQLError } from 'graphql'
import { fault } from '../schema/types/faults.ts'
import { callSize } from '../services/calls/json-size.ts'

/** The limits of one call, and of all calls of a replica together. docs/limits.md explains each. */
export const limits = {
  /**
   * At most this many connections may be open: an agent keeps several open, and a replica can serve 10,000 of them. Further ones are
   * closed.
   */
  connections: 50_000,
  /** The size of a request's headers. */
  headerBytes: 32 * 1024,
  /** The time in which the headers of a request must arrive, in milliseconds. */
  headersMs: 15_000,
  /** The time in which a whole request must arrive, in milliseconds. */
  requestMs: 60_000,
  /**
   * How long a connection without a request is kept, in milliseconds. Most load balancers close such a connection after a minute. If the
   * service closed it first, a call that is sent at that moment would fail.
   */
  idleMs: 75_000,
  /** How often connections are checked for requests that are late, in milliseconds. */
  lateCheckMs: 5_000,
  bodyBytes: 4 * 1024 * 1024,
  /** At most this many operations may be in one body. */
  operations: 64,
  /** The time within which more of a body must arrive, in milliseconds. */
  bodyPauseMs: 10_000,
  /**
   * The memory that a list or an object in the variables of a call is assumed to use once the body is parsed, and that each other value is
   * assumed to use. An empty object of a body uses 20 times as much memory as its text.
   */
  containerBytes: 64,
  valueBytes: 24,
  /** The total size of the bodies and variables of all calls that a replica receives and answers. */
  bodiesBytes: 128 * 1024 * 1024,
  /** The total size of the bodies and variables of all calls of one key. A quarter of `bodiesBytes`, so that no key uses all of it. */
  keyBodiesBytes: 32 * 1024 * 1024,
  /** The length of a document's text in UTF-8. */
  documentBytes: 64 * 1024,
  tokens: 5_000,
  depth: 12,
  /** The depth of `__schema` and `__type`. The standard queries of GraphiQL and of code generators have up to 15 levels. */
  introspectionDepth: 16,
  aliases: 30,
  directives: 50,
  rootFields: 10,
  /** The count of fields of an operation. Fields of a fragment are counted for each spread. */
  fields: 2_000,
  /** The fragments of a document. Validation compares those that are spread in one place in pairs. */
  fragments: 50,
  /** At most this many fields with the same name may be in one selection set, because validation compares them in pairs. */
  repeats: 30,
  cost: 10_000,
  /** The nesting depth of lists and objects in a call's variables, and of brackets in its document. */
  nesting: 64,
  /** At most this many items may be in one list of a call's variables: as many as the hosts of an aggregate. */
  listItems: 100_000,
  /**
   * At most this many lists, objects and their members may be in a call's variables, because each is visited several times before the call
   * runs.
   */
  values: callSize.values,
  /** At most this many characters of text may be in the values of the variables, counted for each use of a variable in the operation. */
  usedCharacters: callSize.characters,
  /** The time in which a caller must read its whole answer, in milliseconds. A stream has no such time. */
  answerMs: 300_000,
  /** The size of one answer, or of one event of a stream: its values as JSON, plus 32 bytes for each field and each item of a list. */
  answerBytes: 32 * 1024 * 1024,
  /** The total size of all answers that a replica is computing and sending. */
  answersBytes: 128 * 1024 * 1024,
  /** An answer up to this size is sent even if all answers together exceed `answersBytes`. */
  smallAnswerBytes: 1024 * 1024,
} as const

/** Throws an error for an operation above a limit, with the limit and the count that was found. */
export function checkLimit(what: string, found: number, most: number): void {
  if (found > most)
    throw overLimit(what.replaceAll(' ', '_'), found, most, `The operation has ${what} ${found}; at most ${most} is allowed.`)
}

/** The error of a call that requests too much; `rule` is the last part of its code. */
export const overLimit = (rule: string, found: number | string, most: number, message: string): GraphQLError =>
  fault(rule === 'cost' || rule === 'answer' ? 'COST_EXCEEDED' : 'GRAPHQL_VALIDATION_FAILED', message, {
    rule: `limit.${rule}`,
    found: String(found),
    allowed: `at most ${most}`,
  })
