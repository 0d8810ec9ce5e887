import type { GraphQLError } from 'graphql'
import { fault } from '../schema/faults.ts'

/** What one call may ask for at most. docs/limits.md says what each is for. */
export const limits = {
  bodyBytes: 4 * 1024 * 1024,
  /** Of the text of a document, in UTF-8. */
  documentBytes: 64 * 1024,
  tokens: 5_000,
  depth: 12,
  /** Of `__schema` and `__type`: the standard queries of GraphiQL and of code generators are up to 15 deep. */
  introspectionDepth: 16,
  aliases: 30,
  directives: 50,
  rootFields: 10,
  /** Fields of an operation, those of a fragment once for each time that it is spread. */
  fields: 2_000,
  /** How often one selection set may have fields of the same name in the answer: validation compares them in pairs. */
  repeats: 30,
  cost: 10_000,
  /** Lists and objects within each other in a call's variables, and brackets in its document. */
  nesting: 64,
  /** Items of one list in a call's variables: as many as the longest that an input allows has, the hosts of an aggregate. */
  listItems: 100_000,
  /** Lists, objects and what is in them in a call's variables: each is looked at several times before anything runs. */
  values: 250_000,
  /** Of one answer, or one event of a stream: what its values have as JSON, and 32 for each field and each item of a list. */
  answerBytes: 32 * 1024 * 1024,
  /** Of all answers that a replica works on and sends. */
  answersBytes: 128 * 1024 * 1024,
  /** An answer up to this size is given also where the others have more together. */
  smallAnswerBytes: 1024 * 1024,
} as const

/** Refuses an operation that has more of something than is allowed. Throws the fault, with the limit and what was found. */
export function checkLimit(what: string, found: number, most: number): void {
  if (found > most)
    throw overLimit(what.replaceAll(' ', '_'), found, most, `The operation has ${what} ${found}; at most ${most} is allowed.`)
}

/** The fault of a call that asks for too much; `rule` is the last part of its code. */
export const overLimit = (rule: string, found: number | string, most: number, message: string): GraphQLError =>
  fault(rule === 'cost' || rule === 'answer' ? 'COST_EXCEEDED' : 'GRAPHQL_VALIDATION_FAILED', message, {
    rule: `limit.${rule}`,
    found: String(found),
    allowed: `at most ${most}`,
  })
