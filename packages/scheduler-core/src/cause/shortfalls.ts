import { wordsOf } from '../kinds/classes/usual.ts'
import { amountText, measureOf, overfullText, subjectText } from '../text/amount-text.ts'
import type { Code } from '../text/codes.ts'
import { type AmountOf, type Fact, FOR_ONE_INSTANCE, NEAR_CELLS } from '../text/evidence.ts'
import { amountMissing, shareMissing } from '../text/missing.ts'
import type { Reason } from '../text/reason.ts'
import { reasonText } from '../text/reason-text.ts'
import type { HostRefusal, NearestHost } from './refusal.ts'

/** One shortfall of a host, with its sentence. If all of them are resolved, and nothing else changes, the host takes the instance. */
export interface Shortfall {
  readonly subject: string
  readonly required?: number | string
  readonly actual?: number | string
  readonly unit?: string
  /** The amount of the subject that is compared; absent for the free amount. */
  readonly amountOf?: AmountOf
  /** The part of the amount that the host reserves. */
  readonly reserved?: string
  /** For a reason, its sentence; among facts only those that could be a reason have one. */
  readonly sentence?: string
}

/** All shortfalls of a host. If several filters report the same thing, only the largest shortfall is kept. */
export function shortfallsOf({ refusals }: Pick<NearestHost, 'refusals'>): readonly Shortfall[] {
  const said = new Map<string, Shortfall>()
  for (const one of refusals.flatMap(shortfallsIn)) {
    const key = keyOf(one)
    const known = said.get(key)
    if (known === undefined || isMore(one, known)) said.set(key, one)
  }
  // if the total is too small, or too little of it is near the cells, a larger total also increases the free amount,
  // unless still more is missing
  return [...said.values()].filter((one) => {
    const wider = one.amountOf === undefined && one.subject !== '' ? [inAllKeyOf(one), keyOf({ ...one, amountOf: NEAR_CELLS })] : []
    return wider.every((key) => {
      const other = said.get(key)
      return other === undefined || missingOf(one) > missingOf(other)
    })
  })
}

/**
 * Whether the first of two sentences about a resource reports more missing: with one unit the amount, because claims
 * may hold so much that more than the needs of a few instances is missing. For equal ones, whether it is a sentence of
 * its own.
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
 * The total shortfall of a host: for each resource the largest missing share, because an amount that does not exist is
 * not free either.
 */
export function distanceBy(shortfalls: readonly Shortfall[]): number {
  const most = new Map<string, number>()
  for (const { amountOf: _, ...one } of shortfalls) {
    const key = keyOf(one)
    most.set(key, Math.max(most.get(key) ?? 0, shareOf(one)))
  }
  return [...most.values()].reduce((sum, share) => sum + share, 0)
}

/** facts call a guest's cell just a cell */
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

/** The facts of a reason start with its own need and have. */
function shortfallsIn({ reason, facts }: HostRefusal): readonly Shortfall[] {
  const { need: required, have: actual, unit } = reason
  // a reason does not have to name what its fact is about
  const same = facts.find((fact) => fact.required === required && fact.actual === actual)
  const subject = reason.subject ?? same?.subject ?? ''
  // only the fact may say which amount is compared
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
  // nor is a repeated fact about the host
  const [first] = required === undefined && same === undefined ? facts.filter((fact) => fact.actual === actual) : []
  const lacking = facts.filter((fact) => isLacking(fact, reason) && fact !== first && !(isSaidOfCells && fact.subject === subject))
  return [...(isSaidOfCells ? [] : [own]), ...lacking.map((fact) => toShortfall(fact, reason))]
}

/**
 * A word that the host has as requested is no shortfall, nor a word that was not requested if the reason compares
 * numbers or nothing, nor the location of a volume or a port.
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

/** Codes of which a filter may have several reasons for one host: each of its facts is reported. */
const saidOfEach: readonly Code[] = ['group.apart', 'aggregate.extra_spec', 'image.unsupported', 'capability.mismatch']

/** The code whose sentence a further fact uses; undefined if it uses none. `first`: the code of the reason. */
function codeOf({ subject, required, actual, unit, amountOf }: Fact, first: Code): Code | undefined {
  if (first === 'trait.missing' || first === 'trait.forbidden') return required === undefined ? 'trait.forbidden' : 'trait.missing'
  if (required === undefined || actual === undefined) return undefined
  if (unit === 'devices' && !subject.includes(' near cell')) return amountOf === NEAR_CELLS ? 'pci.numa' : 'pci.short'
  if (saidOfEach.includes(first)) return first
  if (amountOf === FOR_ONE_INSTANCE) return 'class.unit'
  const isClass = amountOf === 'in all' && typeof required === 'number' && unit === wordsOf(subject).unit
  return isClass ? wordsOf(subject).tooLittle : undefined
}

/** An amount of a thing, whatever the number, or one word of several that may be asked for. */
function keyOf({ subject, unit, amountOf, required, actual, sentence = '' }: Shortfall): string {
  if (subject === '') return sentence
  const thing = thingOf(subject)
  const value = required ?? actual
  const measure = Object.hasOwn(usual, thing) ? '' : measureOf(unit).several
  return [thing, amountOf ?? '', measure, typeof value === 'number' ? '' : (value ?? '')].join('\n')
}

/** The key of the total of a resource, of which the part outside of huge pages, or for one guest alone, is a part. */
const inAllKeyOf = (one: Shortfall): string => keyOf({ ...one, subject: one.subject.replace(PART, ''), amountOf: 'in all' })

const PART = /, (?:outside of huge pages|for one guest alone)$/

/** Nova's names of the standard resource classes. */
const usual: Readonly<Record<string, string>> = { VCPU: 'vCPUs', MEMORY_MB: 'memory', DISK_GB: 'disk' }

/** Filters use several names for one class. */
export const thingOf = (subject: string): string => Object.keys(usual).find((name) => usual[name] === subject) ?? subject

/** A word, such as a trait or the status of a host, weighs more than all amounts that a host may lack. */
const WORD = 1_000

interface Compared {
  readonly required?: number | string | undefined
  readonly actual?: number | string | undefined
}

/** The missing share of what is needed; a need that is not an amount weighs more than any share. */
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
