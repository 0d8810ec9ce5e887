import { amountText, measureOf, overfullText, subjectText } from '../amount-text.ts'
import { reasonText } from '../decision/reason-text.ts'
import { type AmountOf, type Fact, FOR_ONE_INSTANCE, NEAR_CELLS } from '../evidence.ts'
import { wordsOf } from '../kinds/classes/usual.ts'
import { amountMissing, shareMissing } from '../missing.ts'
import type { Reason } from '../reason.ts'
import type { HostRefusal, NearestHost } from './refusal.ts'

/** One thing that a host lacks, as its sentence says it. Once all of them are mended, and nothing else, the host takes the instance. */
export interface Shortfall {
  readonly subject: string
  readonly required?: number | string
  readonly actual?: number | string
  readonly unit?: string
  /** Which amount of the subject; absent: what is left of it. */
  readonly amountOf?: AmountOf
  /** How much of it the host keeps back. */
  readonly reserved?: string
  /** Of what a reason says, its sentence; of facts those alone have one of which a reason might have told. */
  readonly sentence?: string
}

/** All that a host lacks. Of what several filters say of one thing, that which is missing most. */
export function shortfallsOf({ refusals }: Pick<NearestHost, 'refusals'>): readonly Shortfall[] {
  const said = new Map<string, Shortfall>()
  for (const one of refusals.flatMap(shortfallsIn)) {
    const key = keyOf(one)
    const known = said.get(key)
    if (known === undefined || isMore(one, known)) said.set(key, one)
  }
  // where that much is not there in all, more of it is more that is left too, unless more than that is missing
  return [...said.values()].filter((one) => {
    const inAll = one.amountOf === undefined && one.subject !== '' ? said.get(keyOf({ ...one, amountOf: 'in all' })) : undefined
    return inAll === undefined || missingOf(one) > missingOf(inAll)
  })
}

/**
 * Whether one of two sentences about a thing says that more is missing: of one unit the amount, since more than all of what few instances need
 * may be missing where claims hold too much. Of two that say the same, whether it alone is a sentence of its own.
 */
function isMore(one: Shortfall, known: Shortfall): boolean {
  const missing = missingOf(one) - missingOf(known)
  // words are neither more nor less
  const isOneUnit = measureOf(one.unit).several === measureOf(known.unit).several
  const more = isOneUnit && !Number.isNaN(missing) ? missing : shareOf(one) - shareOf(known)
  return more === 0 ? known.sentence === undefined : more > 0
}

const missingOf = ({ required, actual }: Shortfall): number => Number(required) - Number(actual)

/** How much a host lacks in all: of each thing the share that is missing most, since what is not there in all is not left either. */
export function distanceBy(shortfalls: readonly Shortfall[]): number {
  const most = new Map<string, number>()
  for (const { amountOf: _, ...one } of shortfalls) {
    const key = keyOf(one)
    most.set(key, Math.max(most.get(key) ?? 0, shareOf(one)))
  }
  return [...most.values()].reduce((sum, share) => sum + share, 0)
}

/** The sentences of all that a host lacks. */
export function shortfallsText(shortfalls: readonly Shortfall[]): string {
  const sentences: string[] = []
  let last: { readonly subject: string; readonly unit: string | undefined; readonly sides: string[] } | undefined
  const finish = (): void => {
    if (last !== undefined) sentences.push(`${subjectText(last.subject, last.unit)}${last.sides.join('; ')}.`)
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
    // said once of a thing, though it has less in all by it and less that is free
    const isSaid = reserved === undefined || [...sentences, ...(last?.sides ?? [])].some((text) => text.includes(reserved))
    last?.sides.push(isSaid ? sidesOf(one) : `${sidesOf(one)}; ${reserved}`)
  }
  finish()
  return sentences.join(' ')
}

/** What a reason says is its first fact too. */
function shortfallsIn({ reason, facts }: HostRefusal): readonly Shortfall[] {
  const { need: required, have: actual, unit } = reason
  // a reason need not name what its fact is about
  const same = facts.find((fact) => fact.required === required && fact.actual === actual)
  const subject = reason.subject ?? same?.subject ?? ''
  const amountOf = amountOfReason(reason)
  const own: Shortfall = {
    subject,
    ...(required !== undefined && { required }),
    ...(actual !== undefined && { actual }),
    ...(unit !== undefined && { unit }),
    ...(amountOf !== undefined && { amountOf }),
    ...(reason.reserved !== undefined && { reserved: reason.reserved }),
    sentence: reasonText(reason),
  }
  // what the best cell has is not said where each guest cell is compared with the cell that is nearest to it
  const isSaidOfCells = facts.some((fact) => fact.subject.startsWith(`${subject} on `))
  const lacking = facts.filter((fact) => isLacking(fact, reason) && !(isSaidOfCells && fact.subject === subject))
  return [...(isSaidOfCells ? [] : [own]), ...lacking.map(toShortfall)]
}

/**
 * Nothing is to mend about a word that the host has as it was asked for, nor about one for which nothing was asked where the reason compares
 * numbers, or nothing.
 */
function isLacking({ required, actual }: Fact, { need, have }: Reason): boolean {
  if (typeof actual === 'number') return true
  if (required !== undefined) return required !== actual
  return typeof need === 'string' || (need === undefined && have !== undefined)
}

function amountOfReason({ code }: Reason): AmountOf | undefined {
  if (code === 'class.not_reported') return 'reported'
  if (code === 'memory.huge_pages') return 'outside of huge pages'
  if (code === 'gpu.numa' || code === 'pci.numa') return NEAR_CELLS
  if (code === 'class.unit') return FOR_ONE_INSTANCE
  return inAllCode.test(code) ? 'in all' : undefined
}

const inAllCode = /\.too_(?:little|few)|^gpu\.count$/

function toShortfall({ subject, required, actual, unit, amountOf, reserved }: Fact): Shortfall {
  // of a resource class it is said as a reason says it, whichever of several facts it is
  const code =
    amountOf === FOR_ONE_INSTANCE
      ? 'class.unit'
      : amountOf === 'in all' && unit === wordsOf(subject).unit
        ? wordsOf(subject).tooLittle
        : undefined
  const told = required === undefined || actual === undefined ? undefined : { need: required, have: actual }
  return {
    subject,
    ...(required !== undefined && { required }),
    ...(actual !== undefined && { actual }),
    ...(unit !== undefined && { unit }),
    ...(amountOf !== undefined && { amountOf }),
    ...(reserved !== undefined && { reserved }),
    ...(code !== undefined &&
      told !== undefined && {
        sentence: reasonText({ ...told, subject, code, ...(reserved !== undefined && { reserved }) }),
      }),
  }
}

/** An amount of a thing, whatever the number, or one word of several that may be asked for. */
function keyOf({ subject, unit, amountOf, required, actual, sentence = '' }: Shortfall): string {
  if (subject === '') return sentence
  const thing = thingOf(subject)
  const value = required ?? actual
  const measure = Object.hasOwn(usual, thing) ? '' : measureOf(unit).several
  return [thing, amountOf ?? '', measure, typeof value === 'number' ? '' : (value ?? '')].join('\n')
}

/** What Nova's rules call the usual classes, and their own names. */
const usual: Readonly<Record<string, string>> = { VCPU: 'vCPUs', MEMORY_MB: 'memory', DISK_GB: 'disk' }

/** Filters have several names for a class. */
export const thingOf = (subject: string): string => Object.keys(usual).find((name) => usual[name] === subject) ?? subject

/** A word, such as a trait or the status of a host, weighs more than all amounts that a host may lack. */
const WORD = 1_000

interface Compared {
  readonly required?: number | string | undefined
  readonly actual?: number | string | undefined
}

/** What share of what is needed is missing; what is no amount weighs more than any. */
export const shareOf = ({ required, actual }: Compared): number => {
  const short = { need: required, have: actual }
  return amountMissing(short) === undefined ? WORD : shareMissing(short)
}

function sidesOf({ subject, required, actual, unit, amountOf }: Shortfall): string {
  const isLeft = Object.hasOwn(usual, subject) || unit === subject || unit === 'GPUs'
  const isNearNamed = amountOf === NEAR_CELLS && subject.includes(' near cell')
  const where = isNearNamed ? 'free there' : (amountOf ?? (isLeft ? 'free' : 'here'))
  // what else filters of plug-ins compare may well be below 0
  const over = where === 'here' ? '' : overfullText(actual, unit)
  const there = actual === undefined || over === '' ? actual : 0
  return [
    ...(required === undefined ? [] : [`${amountText(required, unit)} needed`]),
    ...(there === undefined ? [] : [`${amountText(there, required === undefined ? unit : undefined)} ${where}${over}`]),
  ].join(', ')
}
