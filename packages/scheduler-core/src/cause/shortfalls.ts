import { wordsOf } from '../kinds/classes/usual.ts'
import { amountText, measureOf, overfullText, subjectText } from '../text/amount-text.ts'
import type { Code } from '../text/codes.ts'
import { type AmountOf, type Fact, FOR_ONE_INSTANCE, NEAR_CELLS } from '../text/evidence.ts'
import { amountMissing, shareMissing } from '../text/missing.ts'
import type { Reason } from '../text/reason.ts'
import { reasonText } from '../text/reason-text.ts'
import type { HostRefusal, NearestHost } from './refusal.ts'

/** One shortfall of a host, with its sentence. If all shortfalls are resolved, and nothing else changes, the host takes the instance. */
export interface Shortfall {
  readonly subject: string
  readonly required?: number | string
  readonly actual?: number | string
  readonly unit?: string
  /** Which amount of the subject is compared, such as its total; absent for the free amount. */
  readonly amountOf?: AmountOf
  /** The part of the amount that the host reserves. */
  readonly reserved?: string
  /** The sentence about the shortfall. Facts have a sentence only if they could be a reason. */
  readonly sentence?: string
}

/** All shortfalls of a host. If several filters report a shortfall of the same resource, only the largest one is returned. */
export function shortfallsOf({ refusals }: Pick<NearestHost, 'refusals'>): readonly Shortfall[] {
  const said = new Map<string, Shortfall>()
  for (const one of refusals.flatMap(shortfallsIn)) {
    const key = keyOf(one)
    const known = said.get(key)
    if (known === undefined || isMore(one, known)) said.set(key, one)
  }
  // If the total is too small, or too little of it is near the cells, a larger total also increases the free amount. The shortfall of the
  // free amount is then left out, unless it is larger.
  return [...said.values()].filter((one) => {
    const wider = one.amountOf === undefined && one.subject !== '' ? [inAllKeyOf(one), keyOf({ ...one, amountOf: NEAR_CELLS })] : []
    return wider.every((key) => {
      const other = said.get(key)
      return other === undefined || missingOf(one) > missingOf(other)
    })
  })
}

/**
 * Whether `one` reports a larger shortfall of a resource than `known`. Amounts in the same unit are compared directly, because claims may
 * hold so much that more is missing than a few instances need. If both are equal, a shortfall with a sentence of its own is preferred.
 */
function isMore(one: Shortfall, known: Shortfall): boolean {
  const missing = missingOf(one) - missingOf(known)
  // words are neither more nor less
  const isOneUnit = measureOf(one.unit).several === measureOf(known.unit).several
  const more = isOneUnit && !Number.isNaN(missing) ? missing : shareOf(one) - shareOf(known)
  return more === 0 ? known.sentence === undefined : more > 0
}

const missingOf = ({ required, actual }: Shortfall): number => Number(required) - Number(actual)

/**
 * The total shortfall of a host: the sum over all resources of the largest missing share. The largest is used because an amount that does
 * not exist is not free either.
 */
export function distanceBy(shortfalls: readonly Shortfall[]): number {
  const most = new Map<string, number>()
  for (const { amountOf: _, ...one } of shortfalls) {
    const key = keyOf(one)
    most.set(key, Math.max(most.get(key) ?? 0, shareOf(one)))
  }
  return [...most.values()].reduce((sum, share) => sum + share, 0)
}

/** facts write "cell" for a guest's cell */
const GUEST_CELL = /^cell (?=\d+ on )/

/** The sentences about all shortfalls of a host. */
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
    // each resource is reported once, although both its total and its free amount are too small
    const isSaid = reserved === undefined || [...sentences, ...(last?.sides ?? [])].some((text) => text.includes(reserved))
    last?.sides.push(isSaid ? sidesOf(one) : `${sidesOf(one)}; ${reserved}`)
  }
  finish()
  return sentences.join(' ')
}

/** The first fact of a reason has the reason's own need and have. */
function shortfallsIn({ reason, facts }: HostRefusal): readonly Shortfall[] {
  const { need: required, have: actual, unit } = reason
  // a reason may omit the subject of its first fact
  const same = facts.find((fact) => fact.required === required && fact.actual === actual)
  const subject = reason.subject ?? same?.subject ?? ''
  // the kind of the compared amount may be stated only in the fact
  const amountOf = amountOfReason(reason) ?? same?.amountOf
  const own: Shortfall = {
    subject,
    ...(required !== undefined && { required }),
    ...(actual !== undefined && { actual }),
    ...(unit !== undefined && { unit }),
    ...(amountOf !== undefined && { amountOf }),
    ...(reason.reserved !== undefined && { reserved: reason.reserved }),
    sentence: reasonText(reason),
  }
  // the best cell is not reported if each guest cell is compared with the nearest cell
  const isSaidOfCells = facts.some((fact) => fact.subject.startsWith(`${subject} on `))
  // a repeated fact about the host is not reported either
  const [first] = required === undefined && same === undefined ? facts.filter((fact) => fact.actual === actual) : []
  const lacking = facts.filter((fact) => isLacking(fact, reason) && fact !== first && !(isSaidOfCells && fact.subject === subject))
  return [...(isSaidOfCells ? [] : [own]), ...lacking.map((fact) => toShortfall(fact, reason))]
}

/**
 * Whether a fact is a shortfall. These facts are not: a word that the host has as requested; a word that was not requested, if the reason
 * compares numbers or nothing; and the location of a volume or a port.
 */
function isLacking({ required, actual }: Fact, { code, need, have }: Reason): boolean {
  if (typeof actual === 'number') return true
  if (required !== undefined) return required !== actual
  return !/^(?:namespace|volume|port)\./.test(code) && (typeof need === 'string' || (need === undefined && have !== undefined))
}

function amountOfReason({ code }: Reason): AmountOf | undefined {
  if (code === 'class.not_reported') return 'reported'
  if (code === 'memory.huge_pages') return 'outside of huge pages'
  if (code === 'gpu.numa' || code === 'pci.numa') return NEAR_CELLS
  if (code === 'class.unit') return FOR_ONE_INSTANCE
  return inAllCode.test(code) ? 'in all' : undefined
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

/** Codes for which a filter may have several reasons on one host. Each fact of such a reason is reported. */
const saidOfEach: readonly Code[] = ['group.apart', 'aggregate.extra_spec', 'image.unsupported', 'capability.mismatch']

/**
 * The code that determines the sentence of a fact after the first one; undefined if the fact has no sentence. `first` is the code of the
 * reason.
 */
function codeOf({ subject, required, actual, unit, amountOf }: Fact, first: Code): Code | undefined {
  if (first === 'trait.missing' || first === 'trait.forbidden') return required === undefined ? 'trait.forbidden' : 'trait.missing'
  if (required === undefined || actual === undefined) return undefined
  if (unit === 'devices' && !subject.includes(' near cell')) return amountOf === NEAR_CELLS ? 'pci.numa' : 'pci.short'
  if (saidOfEach.includes(first)) return first
  if (amountOf === FOR_ONE_INSTANCE) return 'class.unit'
  const isClass = amountOf === 'in all' && typeof required === 'number' && unit === wordsOf(subject).unit
  return isClass ? wordsOf(subject).tooLittle : undefined
}

/**
 * A key that is equal for shortfalls of the same amount of a resource, whatever the number. For words, such as traits, each word has its
 * own key.
 */
function keyOf({ subject, unit, amountOf, required, actual, sentence = '' }: Shortfall): string {
  if (subject === '') return sentence
  const thing = thingOf(subject)
  const value = required ?? actual
  const measure = Object.hasOwn(usual, thing) ? '' : measureOf(unit).several
  return [thing, amountOf ?? '', measure, typeof value === 'number' ? '' : (value ?? '')].join('\n')
}

/** The key of a resource's total, for a shortfall of a part of it: the part outside of huge pages, or the part for one guest alone. */
const inAllKeyOf = (one: Shortfall): string => keyOf({ ...one, subject: one.subject.replace(PART, ''), amountOf: 'in all' })

const PART = /, (?:outside of huge pages|for one guest alone)$/

/** Nova's names of the standard resource classes. */
const usual: Readonly<Record<string, string>> = { VCPU: 'vCPUs', MEMORY_MB: 'memory', DISK_GB: 'disk' }

/** The name of a resource in sentences. Filters use several names for one resource class. */
export const thingOf = (subject: string): string => Object.keys(usual).find((name) => usual[name] === subject) ?? subject

/** The weight of a missing word, such as a trait or the status of a host. It is larger than the sum of all amounts that a host may lack. */
const WORD = 1_000

interface Compared {
  readonly required?: number | string | undefined
  readonly actual?: number | string | undefined
}

/** The missing share of the needed amount. A need that is not an amount has a larger weight than any share. */
export const shareOf = ({ required, actual }: Compared): number => {
  const short = { need: required, have: actual }
  return amountMissing(short) === undefined ? WORD : shareMissing(short)
}

function sidesOf({ subject, required, actual, unit, amountOf }: Shortfall): string {
  const isLeft = Object.hasOwn(usual, subject) || unit === subject || unit === 'GPUs'
  const isNearNamed = amountOf === NEAR_CELLS && subject.includes(' near cell')
  const where = isNearNamed ? 'free there' : (amountOf ?? (isLeft ? 'free' : 'here'))
  // values of plug-ins may be negative
  const over = where === 'here' ? '' : overfullText(actual, unit)
  const there = actual === undefined || over === '' ? actual : 0
  return [
    ...(required === undefined ? [] : [`${amountText(required, unit)} needed`]),
    ...(there === undefined ? [] : [`${amountText(there, required === undefined ? unit : undefined)} ${where}${over}`]),
  ].join(', ')
}
