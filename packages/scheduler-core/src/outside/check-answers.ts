import { z } from 'zod'
import { canonicalJson } from '../canonical-json.ts'
import { type Code, codes } from '../codes.ts'
import type { HostIndex } from '../host-index.ts'
import { quote } from '../problem.ts'
import type { Reason } from '../reason.ts'
import { shorten, toStorable } from '../storable.ts'
import { type OutsideAnswer, toRuns } from './answer.ts'
import type { Question } from './question.ts'

/** Characters of a code or word in a reason, and of what is wrong with an answer. */
const MOST_WORDS = 200

const words = z.string().max(MOST_WORDS).transform(toStorable)
const number = z.number().finite()

/** Why a part outside of this process refuses a host. Its code is one of the release, or one of its own, which becomes the subject. */
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

/** A part's answer that cannot be taken as a whole. */
export class BadAnswerError extends Error {
  override readonly name = 'BadAnswerError'
}

/**
 * What a part answered, as a record keeps it. `given` is unknown: null where the request asks nothing of the part, else a list with one item
 * for each host of the question, in its order. Of a filter: true, false, or why not; of a weigher a finite number; of either `{ error }`.
 * Throws BadAnswerError for what is no such list; an item that is none of these is an error of its host alone.
 */
export function checkAnswers(question: Question, given: unknown): OutsideAnswer {
  const head = headOf(question)
  const { hosts, kind, part } = question
  if (given === null && kind === 'filter') return { ...head, isNotAsked: true, hosts: [] }
  if (!Array.isArray(given)) throw new BadAnswerError(`${part} answered ${quote(given)}; it must answer a list, one item for each host`)
  if (given.length !== hosts.length)
    throw new BadAnswerError(`${part} answered about ${given.length} hosts; it was asked about ${hosts.length}`)
  const good: HostIndex[] = []
  const numbers: (number | null)[] = []
  const refused = new Groups<Reason>()
  const errors = new Groups<string>()
  // what the hosts leave out was not asked about
  const untold = new Map(question.untold.map(({ host, reason }) => [host, reason]))
  const asked = new Map(hosts.map((host, i) => [host, given[i] as unknown]))
  for (const host of [...hosts, ...untold.keys()].sort((a, b) => a - b)) {
    const left = untold.get(host)
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

/** The record of a part that did not answer. */
export const failedAnswer = (question: Question, failure: string): OutsideAnswer => ({
  ...headOf(question),
  failure: shorten(failure, MOST_WORDS),
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

/** A number, true, why not, or in words what is wrong with the item. */
function readItem(kind: OutsideAnswer['kind'], item: unknown): number | true | Reason | string {
  if (isObject(item) && typeof item.error === 'string') return shorten(`it failed: ${item.error}`, MOST_WORDS)
  if (kind === 'weigher') {
    // + 0: JSON has no negative zero
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
  const told = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)) as Omit<Reason, 'code'>
  if (Object.hasOwn(codes, code)) return { code: code as Code, ...told }
  return { code: 'filter.refused', ...told, subject: shorten(told.subject === undefined ? code : `${code}: ${told.subject}`, MOST_WORDS) }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => value !== null && typeof value === 'object'

/** Hosts by what was said of them, in the order in which it was said first. */
class Groups<Said> {
  readonly #groups = new Map<string, [Said, HostIndex[]]>()

  get size(): number {
    return this.#groups.size
  }

  add(said: Said, host: HostIndex): void {
    const key = canonicalJson(said)
    const group = this.#groups.get(key)
    if (group === undefined) this.#groups.set(key, [said, [host]])
    else group[1].push(host)
  }

  all(): readonly (readonly [Said, readonly HostIndex[]])[] {
    return [...this.#groups.values()]
  }
}
