import {
  canonicalJson,
  type Decided,
  type Fleet,
  hostKey,
  isUnsolved,
  type LogEntry,
  type Profile,
  parseProfile,
  pluginsOf,
  profileRef,
  proposalsBefore,
  replayOtherwiseInSteps,
  type Steps,
} from '@gantt/scheduler-core'
import { type DecisionStore, isUnreadable } from '../../db/tables/decisions.ts'
import type { StoredDecision } from '../../db/tables/rows.ts'
import type { History } from '../../replica/follow/history.ts'
import type { Replica } from '../../replica/replica.ts'
import type { LogReader } from '../../sync/synchronizer.ts'
import { InputFault } from '../calls/outcome.ts'
import { checkRange } from '../calls/text.ts'
import { parseDecisionQuery } from '../decision/decision-query.ts'
import { type Candidate, candidateOf, passOver, versionOf } from './decide-again.ts'

export interface UnusedPartsInput {
  /** `name` for the active version, or `name@number`. Decisions by any version of this profile are examined. */
  readonly baseline: string
  readonly candidate: Candidate
  /** How many of the newest decisions are examined; null: 100. */
  readonly last: number | null
  /** After this time, no further decision is examined; null: 30 s. */
  readonly deadlineMs: number | null
}

/** A part of a profile version, and whether the part had an effect on an examined decision. */
export interface PartUse {
  readonly kind: 'FILTER' | 'WEIGHER' | 'SETTING'
  readonly name: string
  /** The effect of the part on the examined decisions, without the name of the part, such as `refused no host`. */
  readonly text: string
  readonly isUnused: boolean
}

/**
 * The parts of a profile version, and which of them had no effect on past decisions. Each decision is replayed on the state on which it was
 * made.
 */
export interface UnusedParts {
  readonly candidate: Profile
  /** How many decisions were examined. */
  readonly decided: number
  /** How many of the requested newest decisions were available. */
  readonly found: number
  readonly parts: readonly PartUse[]
  readonly text: string
}

/** Throws InputFault for invalid input. */
export type FindUnusedParts = (input: UnusedPartsInput) => Promise<UnusedParts>

export interface UnusedPartsOptions {
  readonly replica: Replica
  readonly history: History
  readonly past: LogReader
  readonly store: DecisionStore
  caughtUp(): Promise<unknown>
}

const defaults = { last: 100, deadlineMs: 30_000 }
const most = { last: 1_000, deadlineMs: 60_000 }

export function createUnusedParts({ replica, history, past, store, caughtUp }: UnusedPartsOptions): FindUnusedParts {
  // only one query at a time reads the log; the deadline of a query includes the time that it waits
  let turn: Promise<unknown> = Promise.resolve()
  const find = async (input: UnusedPartsInput, isOver: () => boolean): Promise<UnusedParts> => {
    const baseline = versionOf(replica, input.baseline, ['baseline'])
    const candidate = candidateOf(replica, baseline, input.candidate)
    const asked = input.last ?? defaults.last
    await caughtUp()
    const newest = await store.list({ first: asked, query: parseDecisionQuery(`profile:${baseline.name}`) })
    const { firstRevision } = await past.retention()
    const wanted = newest.filter((one): one is StoredDecision => !isUnreadable(one) && one.place.basis >= firstRevision)
    const tally = createTally(candidate, (document) => {
      const parsed = parseProfile(document, pluginsOf(replica.fleet))
      return parsed.ok ? parsed.value : undefined
    })
    await passOver({ history, past, wanted, isOver, each: (fleet, entry, one) => tally.add(fleet, entry, one) })
    const { decided, parts } = tally.end()
    const unused = { candidate, decided, found: newest.length, parts }
    return { ...unused, text: textOf(unused, baseline.name, asked) }
  }
  return (input) => {
    const wrong = [
      ...(input.last === null ? [] : checkRange(['last'], input.last, 1, most.last)),
      ...(input.deadlineMs === null ? [] : checkRange(['deadline'], input.deadlineMs, 1, most.deadlineMs, ' ms')),
    ]
    if (wrong.length > 0) return Promise.reject(new InputFault(wrong))
    const over = performance.now() + (input.deadlineMs ?? defaults.deadlineMs)
    const answer = turn.then(() => find(input, () => performance.now() >= over))
    turn = answer.catch(() => undefined)
    return answer
  }
}

/** A profile version without one of its weighers, or with the default value of one of its settings. */
interface Variant {
  readonly kind: 'WEIGHER' | 'SETTING'
  readonly name: string
  readonly profile: Profile
  changed: boolean
}

type Parse = (document: unknown) => Profile | undefined

/**
 * The variants of a version. Each variant lacks one weigher, or has the default value of one setting for which the version has a different
 * value. A variant that would be an invalid profile is omitted.
 */
function variantsOf(candidate: Profile, parse: Parse): Variant[] {
  const { filters, weighers, assignment, nova, ...rest } = candidate
  const usual = parse({ name: candidate.name, number: candidate.number, filters: [], weighers: [] })
  const of = (kind: Variant['kind'], name: string, change: Partial<Record<keyof Profile, unknown>>): Variant[] => {
    const profile = parse({ ...candidate, ...change })
    return profile === undefined || canonicalJson(profile) === canonicalJson(candidate) ? [] : [{ kind, name, profile, changed: false }]
  }
  const plain = (['normalisation', 'tieOrder', 'hostSubsetSize', 'scheduler'] as const).filter((name) => rest[name] !== usual?.[name])
  const withoutOptions = <Part extends { readonly options: object }>(parts: readonly Part[], i: number) =>
    parts.map((part, j) => (i === j ? { ...part, options: {} } : part))
  return [
    ...weighers.flatMap(({ name }, i) => of('WEIGHER', name, { weighers: weighers.filter((_, j) => j !== i) })),
    ...plain.flatMap((name) => of('SETTING', name, { [name]: usual?.[name], ...(name === 'scheduler' && { solver: undefined }) })),
    ...Object.keys(assignment).flatMap((kind) => of('SETTING', `assignment.${kind}`, { assignment: { ...assignment, [kind]: undefined } })),
    ...Object.keys(nova ?? {}).flatMap((name) => of('SETTING', `nova.${name}`, { nova: { ...nova, [name]: undefined } })),
    ...filters.flatMap(({ name }, i) => of('SETTING', `options of ${name}`, { filters: withoutOptions(filters, i) })),
    ...weighers.flatMap(({ name }, i) => of('SETTING', `options of ${name}`, { weighers: withoutOptions(weighers, i) })),
  ]
}

/** What a decision selected: hosts, claimed resources, and alternates. */
const choiceOf = ({ parts, answer }: Decided): string =>
  canonicalJson({
    parts: parts.map((part) => ({ host: hostKey(part), grants: part.grants })),
    alternates: answer.map(({ alternates }) => alternates.map(hostKey)),
  } as never)

function createTally(candidate: Profile, parse: Parse) {
  const variants = variantsOf(candidate, parse)
  const refusing = new Set<string>()
  let decided = 0
  return {
    *add(fleet: Fleet, entry: LogEntry | undefined, { record, place }: StoredDecision): Steps<void> {
      if (place.entryId !== null && place.entryId !== entry?.id) return
      if (isUnsolved(fleet, record, candidate)) return
      const before = entry === undefined || place.entryId === null ? [] : proposalsBefore(entry, place.position ?? 0)
      try {
        const made = yield* replayOtherwiseInSteps(fleet, before, record, candidate)
        for (const { filters } of made.record.instances)
          for (const { filter, entered, passed } of filters) if (passed < entered) refusing.add(filter)
        const choice = choiceOf(made)
        for (const variant of variants) {
          if (variant.changed || isUnsolved(fleet, record, variant.profile)) continue
          variant.changed = choiceOf(yield* replayOtherwiseInSteps(fleet, before, record, variant.profile)) !== choice
        }
        decided++
      } catch (error) {
        // the request cannot be decided again, for example because the claim that it moves does not exist any more
        if (!(error instanceof RangeError)) throw error
      }
    },
    end(): Pick<UnusedParts, 'decided' | 'parts'> {
      const filters = candidate.filters.filter(({ shadow }) => shadow !== true)
      return {
        decided,
        parts: [
          ...filters.map(({ name }) => use('FILTER', name, refusing.has(name), 'refused no host', 'refused hosts')),
          ...variants.map(({ kind, name, changed }) =>
            kind === 'WEIGHER'
              ? use(kind, name, changed, 'without it every instance goes to the same host', 'decides between hosts')
              : use(kind, name, changed, 'has the same effect as its default', 'changes what is chosen'),
          ),
        ],
      }
    },
  }
}

const use = (kind: PartUse['kind'], name: string, isUsed: boolean, unused: string, used: string): PartUse => ({
  kind,
  name,
  isUnused: !isUsed,
  text: isUsed ? used : unused,
})

function textOf({ candidate, decided, found, parts }: Omit<UnusedParts, 'text'>, name: string, asked: number): string {
  if (found === 0) return `${name} has decided no request yet, so that unused parts are not known.`
  const ref = profileRef(candidate)
  const those =
    found < asked
      ? `all ${found} decisions of ${name} that are stored (the last ${asked} were requested)`
      : `the last ${found} decisions of ${name}`
  if (decided === 0) return `None of ${those} could be replayed by ${ref}, so that unused parts are not known.`
  const unused = parts.filter(({ isUnused }) => isUnused).length
  const looked = decided < found ? `${decided} of ${those}; the others could not be replayed in time` : those
  const result = unused === 0 ? 'every part changed something' : `${unused} of ${parts.length} parts changed nothing`
  return `Checked ${looked}, each replayed by ${ref} and without each part: ${result}.`
}
