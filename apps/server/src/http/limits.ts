import type { GraphQLError } from 'graphql'
import { fault } from '../schema/types/faults.ts'

/** The limits of one call. docs/limits.md explains each. */
export const limits = {
  bodyBytes: 4 * 1024 * 1024,
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
  values: 250_000,
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
