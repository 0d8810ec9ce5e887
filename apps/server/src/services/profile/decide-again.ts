import { type Fleet, type LogEntry, type Profile, parseProfile, pluginsOf, type Steps } from '@gantt/scheduler-core'
import type { StoredDecision } from '../../db/tables/rows.ts'
import { answerYielding } from '../../event-loop/query.ts'
import type { History } from '../../replica/follow/history.ts'
import type { LentFleets } from '../../replica/follow/past-fleets.ts'
import type { Replica } from '../../replica/replica.ts'
import { ENTRIES_AT_ONCE, type LogReader } from '../../sync/synchronizer.ts'
import { documentSize, sizeRule } from '../calls/json-size.ts'
import { InputFault, issue, under } from '../calls/outcome.ts'
import { unknownProfile, usableProfile } from './profiles.ts'

/** A stored version of a profile, or a draft of a new version. */
export type Candidate = { readonly version: string } | { readonly draft: unknown }

/** The candidate's profile version. A draft becomes the next version of the baseline's profile. Throws InputFault. */
export const candidateOf = (replica: Replica, baseline: Profile, candidate: Candidate): Profile =>
  'draft' in candidate ? draftOf(replica, baseline, candidate.draft) : versionOf(replica, candidate.version, ['candidate', 'version'])

export interface Pass {
  readonly history: Pick<History, 'lend'>
  readonly past: LogReader
  readonly wanted: readonly StoredDecision[]
  isOver(): boolean
  /** `entry`: the log entry that follows the state; undefined at the end of the log. */
  each(fleet: Fleet, entry: LogEntry | undefined, decision: StoredDecision): Steps<void>
}

/** Reads the log once, from the first to the last state that a decision needs. Calls `each` with each decision and its state. */
export const passOver = (pass: Pass): Promise<void> => pass.history.lend((lent) => passWith(lent, pass))

async function passWith({ at }: LentFleets, { past, wanted, isOver, each }: Pass): Promise<void> {
  const waiting = [...wanted].sort((a, b) => a.place.basis - b.place.basis || (a.place.position ?? 0) - (b.place.position ?? 0))
  const [first] = waiting
  if (first === undefined) return
  const fleet = await at(first.place.basis)
  let next = 0
  function* decideHere(entry: LogEntry | undefined): Steps<void> {
    for (let one = waiting[next]; one !== undefined && one.place.basis === fleet.place.revision && !isOver(); one = waiting[++next]) {
      yield* each(fleet, entry, one)
      yield
    }
  }
  function* goOn(entries: readonly LogEntry[]): Steps<void> {
    for (const entry of entries) {
      yield* decideHere(entry)
      if (next >= waiting.length || isOver()) return
      yield* fleet.applyInSteps(entry)
      yield
    }
  }
  while (next < waiting.length && !isOver()) {
    const entries = await past.read(fleet.place, ENTRIES_AT_ONCE)
    if (entries.length > 0) await answerYielding(goOn(entries))
    else {
      await answerYielding(decideHere(undefined))
      return
    }
  }
}

/** Finds a profile version. Throws InputFault if the version does not exist or if this service cannot decide by it. */
export function versionOf(replica: Replica, ref: string, path: readonly string[]): Profile {
  const found = replica.fleet.profiles.find(ref)
  if (found === undefined) throw new InputFault([unknownProfile(replica, ref, path)])
  return usableProfile(replica.fleet, found, path)
}

/** Fields with values that are written in capitals in the API and in lower case in profiles. */
const words: ReadonlySet<string> = new Set(['normalisation', 'tieOrder', 'scheduler', 'compat'])

/** Parses a draft as the next version of the baseline's profile. */
function draftOf({ fleet }: Replica, { name }: Profile, document: unknown): Profile {
  const path = ['candidate', 'draft']
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    throw InputFault.at(path, document, 'an object with the parts of a profile')
  const tooLarge = sizeRule(document, documentSize)
  if (tooLarge !== undefined) throw new InputFault([issue(path, document, tooLarge, 'call.too_large')])
  const parts = Object.fromEntries(
    Object.entries(document).map(([key, value]) => [
      key,
      words.has(key) && typeof value === 'string'
        ? value.toLowerCase().replaceAll('_', '-')
        : key === 'filters' || key === 'weighers'
          ? enabled(value)
          : key === 'collects' && Array.isArray(value)
            ? value.map((kind: unknown) => (typeof kind === 'string' ? kind.toLowerCase() : kind))
            : value,
    ]),
  )
  const number = (fleet.profiles.versionsOf(name).at(-1)?.number ?? 0) + 1
  const parsed = parseProfile({ ...parts, name, number }, pluginsOf(fleet))
  if (!parsed.ok) throw new InputFault(under(path, parsed.problems))
  return parsed.value
}

/** Removes the filters and weighers that the document marks with `enabled: false`. */
function enabled(parts: unknown): unknown {
  if (!Array.isArray(parts)) return parts
  return parts.flatMap((part: unknown) => {
    if (typeof part !== 'object' || part === null || !('enabled' in part)) return [part]
    const { enabled: isEnabled, ...rest } = part
    return isEnabled === false ? [] : [rest]
  })
}
