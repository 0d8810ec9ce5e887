import { wordsOf } from '../kinds/classes/usual.ts'
import { amountText, measureOf, overfullText, subjectText } from '../text/amount-text.ts'
import type { Code } from '../text/codes.ts'
import { type AmountOf, type Fact, FOR_ONE_INSTANCE, NEAR_CELLS } from '../text/evidence.ts'
import type { Reason } from '../text/reason.ts'
import { reasonText } from '../text/reason-text.ts'
import { compareDistances, type Distance, DistanceSum, distanceFor, NO_DISTANCE } from './distance.ts'
import type { HostRefusal, NearestHost } from './refusal.ts'

/** One shortfall of a host. If all shortfalls of the host are resolved, the host takes the instance. */
export interface Shortfall {
  readonly subject: string
  readonly required?: number | string
  readonly actual?: number | string
  readonly unit?: string
  /** Which amount of the subject is compared, such as its total. Absent for the free amount. */
  readonly amountOf?: AmountOf
  /** Present if the amount is too small even if nothing on the host is in use, although `amountOf` does not say so. */
  readonly isTotal?: true
  /** A text about the reserved part of the amount. */
  readonly reserved?: string
  /** The sentence about the shortfall. Absent if the shortfall is a fact that cannot be the reason of a filter. */
  readonly sentence?: string
}

/** All shortfalls of a host. If several filters report a shortfall of the same resource, only the largest shortfall is returned. */
export function shortfallsOf({ refusals }: Pick<NearestHost, 'refusals'>): readonly Shortfall[] {
  const said = new Map<string, Shortfall>()
  for (const one of refusals.flatMap(shortfallsIn)) {
    const key = keyOf(one)
    const known = said.get(key)
    if (known === undefined || isMore(one, known)) said.set(key, one)
  }
  // A larger total, or more devices near the cells, also increases the free amount. The shortfall of the free amount is therefore left out
  // unless it is larger than the shortfall of the total.
  return [...said.values()].filter((one) => {
    const wider = one.amountOf === undefined && one.subject !== '' ? [inAllKeyOf(one), keyOf({ ...one, amountOf: NEAR_CELLS })] : []
    return wider.every((key) => {
      const other = said.get(key)
      return other === undefined || missingOf(one) > missingOf(other)
    })
  })
}

/**
 * Returns true if `one` is a larger shortfall of a resource than `known`. Amounts in the same unit are compared directly, other shortfalls
 * by their missing shares. If they are equal, a shortfall that has a sentence is preferred.
 */
function isMore(one: Shortfall, known: Shortfall): boolean {
  const missing = missingOf(one) - missingOf(known)
  // for words, such as traits, `missing` is NaN
  const isOneUnit = measureOf(one.unit).several === measureOf(known.unit).several
  const more = isOneUnit && !Number.isNaN(missing) ? missing : compareDistances(withoutTotal(one), withoutTotal(known))
  return more === 0 ? known.sentence === undefined : more > 0
}

/** The distance for a shortfall, regardless of whether the shortfall compares a total or a free amount. */
const withoutTotal = ({ required, actual }: Shortfall): Distance => distanceFor({ required, actual })

const missingOf = ({ required, actual }: Shortfall): number => Number(required) - Number(actual)

/**
 * The distance of a host, computed from all its shortfalls, including those that `shortfallsOf` leaves out. The total and the free amount
 * of a resource count once.
 */
export function distanceOf({ refusals }: Pick<NearestHost, 'refusals'>): Distance {
  const sum = new DistanceSum()
  for (const one of refusals.flatMap(shortfallsIn)) {
    const { amountOf, ...anyAmount } = one
    sum.add(keyOf(anyAmount), distanceFor({ ...one, isTotal: one.isTotal === true || amountOf === 'in total' }))
  }
  return sum
}

/** The start of the subject of a fact that compares a guest cell with a host cell. In sentences, this start is replaced by `guest cell`. */
const GUEST_CELL = /^cell (?=\d+ on )/

/** The sentences about shortfalls of a host. */
export function shortfallsText(shortfalls: readonly Shortfall[]): string {
  const sentences: string[] = []
  let last: { readonly subject: string; readonly unit: string | undefined; readonly sides: string[] } | undefined
  const finish = (): void => {
    if (last !== undefined)
      sentences.push(`${subjectText(last.subject.replace(GUEST_CELL, 'guest cell '), last.unit)}${last.sides.join('; ')}.`)
    last = undefined
  }
  for (const one of shortfalls) {
    if (one.sentence !== undefined) {
      finish()
      sentences.push(one.sentence)
      continue
    }
    if (last?.subject !== one.subject) {
      finish()
      last = { subject: one.subject, unit: one.unit, sides: [] }
    }
    const { reserved } = one
    // the text about a reserved part is added only once, even if both the total and the free amount are too small
    const isSaid = reserved === undefined || [...sentences, ...(last?.sides ?? [])].some((text) => text.includes(reserved))
    last?.sides.push(isSaid ? sidesOf(one) : `${sidesOf(one)}; ${reserved}`)
  }
  finish()
  return sentences.join(' ')
}

/** The shortfalls in one refusal: first the shortfall in the reason, then the further shortfalls in the facts. */
function shortfallsIn({ reason, facts }: HostRefusal): readonly Shortfall[] {
  const { need: required, have: actual, unit } = reason
  // a reason without a subject gets the subject of the fact that has the same amounts
  const same = facts.find((fact) => fact.required === required && fact.actual === actual)
  const subject = reason.subject ?? same?.subject ?? ''
  // a reason that does not say which amount is compared, such as the total, gets this from the same fact
  const amountOf = amountOfReason(reason) ?? same?.amountOf
  const own: Shortfall = {
    subject,
    ...(required !== undefined && { required }),
    ...(actual !== undefined && { actual }),
    ...(unit !== undefined && { unit }),
    ...(amountOf !== undefined && { amountOf }),
    ...(isOfTotal(reason) && { isTotal: true }),
    ...(reason.reserved !== undefined && { reserved: reason.reserved }),
    sentence: reasonText(reason),
  }
  // if facts compare each cell of the guest with a cell of the host, the reason itself is not reported
  const isSaidOfCells = facts.some((fact) => fact.subject.startsWith(`${subject} on `))
  // the first fact that only repeats the reason is not reported again
  const [first] = required === undefined && same === undefined ? facts.filter((fact) => fact.actual === actual) : []
  const lacking = facts.filter((fact) => isLacking(fact, reason) && fact !== first && !(isSaidOfCells && fact.subject === subject))
  return [...(isSaidOfCells ? [] : [own]), ...lacking.map((fact) => toShortfall(fact, reason))]
}

/**
 * Returns true if a fact is a shortfall. A fact is not a shortfall if the host has the requested word, such as a trait, or if the fact is
 * the location of a volume or a port. A word of the host that was not requested, such as a forbidden trait, is a shortfall only if the
 * reason compares words.
 */
function isLacking({ subject, required, actual }: Fact, { code, need, have }: Reason): boolean {
  // a host that lacks GPUs of a model can have GPUs of this model and of others, so the models of its GPUs are not compared
  if (subject === GPU_MODEL && code !== 'gpu.model') return false
  if (typeof actual === 'number') return true
  if (required !== undefined) return required !== actual
  return !/^(?:namespace|volume|port)\./.test(code) && (typeof need === 'string' || (need === undefined && have !== undefined))
}

/** The subject of the fact that lists the models of a host's GPUs. */
const GPU_MODEL = 'GPU model'

function amountOfReason({ code }: Reason): AmountOf | undefined {
  if (code === 'class.not_reported') return 'reported'
  if (code === 'memory.huge_pages') return 'outside of huge pages'
  if (code === 'gpu.numa' || code === 'pci.numa') return NEAR_CELLS
  if (code === 'class.unit') return FOR_ONE_INSTANCE
  return inAllCode.test(code) ? 'in total' : undefined
}

const inAllCode = /\.too_(?:little|few)|^gpu\.count$/

function toShortfall(fact: Fact, { code: first }: Reason): Shortfall {
  const { subject, required, actual, unit, amountOf, reserved } = fact
  const code = codeOf(fact, first)
  return {
    subject,
    ...(required !== undefined && { required }),
    ...(actual !== undefined && { actual }),
    ...(unit !== undefined && { unit }),
    ...(amountOf !== undefined && { amountOf }),
    ...(reserved !== undefined && { reserved }),
    ...(code !== undefined && {
      sentence: reasonText({
        ...{ subject, code },
        ...(required !== undefined && { need: required }),
        ...(actual !== undefined && { have: actual }),
        ...(reserved !== undefined && { reserved }),
      }),
    }),
  }
}

/** Codes with which a filter can refuse a host because of several requirements at once. Each fact of such a reason gets a sentence. */
const saidOfEach: readonly Code[] = ['group.apart', 'aggregate.extra_spec', 'image.unsupported', 'capability.mismatch']

/**
 * The code by which a further fact of a reason gets its sentence. Undefined if the fact has no sentence. `first` is the code of the reason.
 */
function codeOf({ subject, required, actual, unit, amountOf }: Fact, first: Code): Code | undefined {
  if (first === 'trait.missing' || first === 'trait.forbidden') return required === undefined ? 'trait.forbidden' : 'trait.missing'
  if (required === undefined || actual === undefined) return undefined
  if (unit === 'devices' && !subject.includes(' near cell')) return amountOf === NEAR_CELLS ? 'pci.numa' : 'pci.short'
  if (saidOfEach.includes(first)) return first
  if (amountOf === FOR_ONE_INSTANCE) return 'class.unit'
  const isClass = amountOf === 'in total' && typeof required === 'number' && unit === wordsOf(subject).unit
  return isClass ? wordsOf(subject).tooLittle : undefined
}

/**
 * A key that is equal for shortfalls of the same amount of a resource, regardless of the numbers. Words, such as traits, have a key for
 * each word.
 */
function keyOf({ subject, unit, amountOf, required, actual, sentence = '' }: Shortfall): string {
  if (subject === '') return sentence
  const thing = thingOf(subject)
  const value = required ?? actual
  const measure = Object.hasOwn(usual, thing) ? '' : measureOf(unit).several
  return [thing, amountOf ?? '', measure, typeof value === 'number' ? '' : (value ?? '')].join('\n')
}

/**
 * For a shortfall of a resource or of a part of it, such as memory outside of huge pages: the key of the shortfall of the resource's total.
 */
const inAllKeyOf = (one: Shortfall): string => keyOf({ ...one, subject: one.subject.replace(PART, ''), amountOf: 'in total' })

const PART = /, (?:outside of huge pages|for one guest alone)$/

/** The names of the standard resource classes in sentences. */
const usual: Readonly<Record<string, string>> = { VCPU: 'vCPUs', MEMORY_MB: 'memory', DISK_GB: 'disk' }

/** The resource class that a subject names. Filters use several names for a resource class. */
export const thingOf = (subject: string): string => Object.keys(usual).find((name) => usual[name] === subject) ?? subject

/**
 * The distance of a host that has only the shortfall of a reason. It is part of every distance of a host that is refused for the reason.
 */
export const distanceOfReason = (reason: Reason): Distance =>
  comparesOtherCells.includes(reason.code)
    ? NO_DISTANCE
    : distanceFor({ required: reason.need, actual: reason.have, isTotal: isOfTotal(reason) })

/** Codes of reasons that compare other NUMA cells of a host than their facts do. */
const comparesOtherCells: readonly Code[] = ['numa.no_cell', 'numa.page_multiple']

/**
 * Further codes for amounts that are too small even if nothing on the host is in use, although `amountOfReason` does not return 'in total'.
 */
const ofTotals: readonly Code[] = ['numa.cells', 'numa.not_reported', 'gpu.none', 'pci.not_reported', 'class.not_reported']

const isOfTotal = (reason: Reason): boolean => amountOfReason(reason) === 'in total' || ofTotals.includes(reason.code)

/** What facts about a guest cell say of a host cell without pages. */
const NO_PAGE_SIZES = 'no page sizes'

function sidesOf({ subject, required, actual, unit, amountOf }: Shortfall): string {
  const isLeft =
    Object.hasOwn(usual, subject) || unit === subject || unit === 'GPUs' || (GUEST_CELL.test(subject) && typeof actual === 'number')
  const isNearNamed = amountOf === NEAR_CELLS && subject.includes(' near cell')
  const where = isNearNamed ? 'free there' : (amountOf ?? (isLeft ? 'free' : actual === NO_PAGE_SIZES ? 'reported' : 'here'))
  // a negative value of a plug-in does not mean that the host is over-full
  const over = where === 'here' ? '' : overfullText(actual, unit)
  const there = actual === undefined || over === '' ? actual : 0
  return [
    ...(required === undefined ? [] : [`${amountText(required, unit)} needed`]),
    ...(there === undefined ? [] : [`${amountText(there, required === undefined ? unit : undefined)} ${where}${over}`]),
  ].join(', ')
}
