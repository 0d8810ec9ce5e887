import { z } from 'zod'
import { type OutsideAnswer, toRuns } from '../records/answer.ts'
import { type Code, codes } from '../text/codes.ts'
import { quote } from '../text/problem.ts'
import type { Reason } from '../text/reason.ts'
import { canonicalJson } from '../values/canonical-json.ts'
import type { HostIndex } from '../values/host-index.ts'
import { shorten, toStorable } from '../values/storable.ts'
import type { Question } from './question.ts'

/** Each text in an answer has at most this many characters. */
const MAX_TEXT_CHARACTERS = 200

const words = z.string().max(MAX_TEXT_CHARACTERS).transform(toStorable)
const number = z.number().finite()

/**
 * A refusal by a filter outside of this process. If its code is not a code of this release, the stored reason has the code filter.refused,
 * and the unknown code becomes part of the subject.
 */
export const refusalSchema = z.strictObject({
  code: z
    .string()
    .regex(/^[a-z][a-z0-9_]*(\.[a-z0-9_]+)*$/)
    .max(64),
  subject: words.optional(),
  need: z.union([number, words]).optional(),
  have: z.union([number, words]).optional(),
  unit: z.string().max(32).transform(toStorable).optional(),
  source: words.optional(),
})

/** Thrown if the form of a whole answer is wrong. The answer is then valid for no host. */
export class BadAnswerError extends Error {
  override readonly name = 'BadAnswerError'
}

/**
 * Checks the answer `given` of a filter or weigher and converts it to the form of a decision record. The answer must be a list with one
 * item for each host of the question, in order. An item is true, false or a refusal for a filter, and a finite number for a weigher. Each
 * item can also be `{ error }`. A filter that does not apply to the request can answer null. Throws BadAnswerError for any other answer. An
 * invalid item is recorded as an error for its host.
 */
export function checkAnswers(question: Question, given: unknown): OutsideAnswer {
  const head = headOf(question)
  const { hosts, kind, part } = question
  if (given === null && kind === 'filter') return { ...head, isNotAsked: true, hosts: [] }
  if (!Array.isArray(given))
    throw new BadAnswerError(`${part} answered ${quote(given)}; it must answer with a list that has one item for each host`)
  if (given.length !== hosts.length)
    throw new BadAnswerError(`${part} answered about ${given.length} hosts; it was asked about ${hosts.length}`)
  const good: HostIndex[] = []
  const numbers: (number | null)[] = []
  const refused = new Groups<Reason>()
  const errors = new Groups<string>()
  // These hosts do not report a field that the filter or weigher reads. They were not sent in the call, and the answer has no item for
  // them.
  const unreported = new Map(question.unreported.map(({ host, reason }) => [host, reason]))
  const asked = new Map(hosts.map((host, i) => [host, given[i] as unknown]))
  for (const host of [...hosts, ...unreported.keys()].sort((a, b) => a - b)) {
    const left = unreported.get(host)
    const read = left === undefined ? readItem(kind, asked.get(host)) : kind === 'weigher' ? null : left
    if (typeof read === 'string') errors.add(read, host)
    else if (read !== null && typeof read === 'object') refused.add(read, host)
    else {
      good.push(host)
      if (kind === 'weigher') numbers.push(read === true ? null : read)
    }
  }
  return {
    ...head,
    hosts: toRuns(good),
    ...(kind === 'weigher' && { numbers }),
    ...(refused.size > 0 && { refused: refused.all().map(([reason, of]) => ({ reason, hosts: toRuns(of) })) }),
    ...(errors.size > 0 && { errors: errors.all().map(([error, of]) => ({ error, hosts: toRuns(of) })) }),
  }
}

/** The answer that is recorded if the call of a filter or weigher failed. */
export const failedAnswer = (question: Question, failure: string): OutsideAnswer => ({
  ...headOf(question),
  failure: shorten(failure, MAX_TEXT_CHARACTERS),
  hosts: [],
})

const headOf = ({ part, kind, by, options, members, unit }: Question): Omit<OutsideAnswer, 'hosts'> => ({
  part,
  kind,
  by,
  ...(options !== undefined && { options }),
  ...(members > 0 && { members }),
  ...(unit !== undefined && { unit }),
})

/** Checks one item of an answer. Returns a number, true, a refusal, or a text that describes why the item is invalid. */
function readItem(kind: OutsideAnswer['kind'], item: unknown): number | true | Reason | string {
  if (isObject(item) && typeof item.error === 'string') return shorten(`it failed: ${item.error}`, MAX_TEXT_CHARACTERS)
  if (kind === 'weigher') {
    // JSON has no negative zero. Adding 0 removes the sign.
    if (typeof item === 'number' && Number.isFinite(item)) return item + 0
    return `the answer is ${quote(item)}; it must be a finite number`
  }
  if (item === true) return true
  if (item === false) return { code: 'filter.refused' }
  const parsed = isObject(item) ? refusalSchema.safeParse(item) : undefined
  if (parsed?.success) return reasonOf(parsed.data)
  return `the answer is ${quote(item)}; it must be true, false, or why not: a code, with subject, need, have, unit and source`
}

function reasonOf({ code, ...rest }: z.output<typeof refusalSchema>): Reason {
  const details = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)) as Omit<Reason, 'code'>
  if (Object.hasOwn(codes, code)) return { code: code as Code, ...details }
  return {
    code: 'filter.refused',
    ...details,
    subject: shorten(details.subject === undefined ? code : `${code}: ${details.subject}`, MAX_TEXT_CHARACTERS),
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => value !== null && typeof value === 'object'

/** Groups hosts with equal answers. The groups are in the order of their first hosts. */
class Groups<Value> {
  readonly #groups = new Map<string, [Value, HostIndex[]]>()

  get size(): number {
    return this.#groups.size
  }

  add(value: Value, host: HostIndex): void {
    const key = canonicalJson(value)
    const group = this.#groups.get(key)
    if (group === undefined) this.#groups.set(key, [value, [host]])
    else group[1].push(host)
  }

  all(): readonly (readonly [Value, readonly HostIndex[]])[] {
    return [...this.#groups.values()]
  }
}
