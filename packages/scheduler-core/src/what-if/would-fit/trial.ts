import { builtIn } from '../../contracts/built-in.ts'
import { prepareChecksInSteps } from '../../examine/examine.ts'
import { copyFleet, giveUpFleet } from '../../fleet/copy.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { openOverlay } from '../../fleet/overlay.ts'
import { hostAddress } from '../../hosts/host-address.ts'
import { prepareFiltersInSteps, runFiltersInSteps } from '../../pipeline/filtering/run-filters.ts'
import { judgedInstance } from '../../pipeline/rounds.ts'
import type { Profile } from '../../records/profile.ts'
import { contradictionsOf, tooSmallForImage } from '../../request/contradictions.ts'
import { parseRequestSpec } from '../../request/parse.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import { type Decided, type DecideInput, decideInSteps } from '../../schedulers/decide.ts'
import { groupOf } from '../../schedulers/filter-scheduler.ts'
import type { HostIndex } from '../../values/host-index.ts'
import type { HostName } from '../../values/host-name.ts'
import type { Steps } from '../../values/steps.ts'
import { applyEdits } from '../apply-edits.ts'
import { type FleetEdits, isNoEdit, joinEdits, NO_EDITS } from '../edits.ts'
import { askedAt } from './gang/in-gang.ts'
import { proposalsFor, proposalsForSeveral } from './remedies/index.ts'
import type { ProposedChange } from './remedies/remedy.ts'

/** The result of a decision with the changes of a candidate. */
export interface Trial {
  readonly placed: boolean
  /** How many instances found a host. */
  readonly found: number
  /** How many hosts pass every filter for the first instance that found no host without the changes. */
  readonly unlocks: number
  readonly hosts: readonly HostName[]
  /** The name of the first of `hosts`, as HOST or HOST/NODE. Null if there is none. */
  readonly address: string | null
  /** If the request is not placed: for each of the candidate's hosts, further changes that can be added to the candidate. */
  readonly next: readonly NextChanges[]
}

/** Changes for the first refusal of a host that remains after the changes of a candidate. */
interface NextChanges {
  readonly host: HostName
  readonly changes: readonly ProposedChange[]
}

const EXAMPLES = 5
/** At most this many edited fleets are cached for candidates with the same edits. */
const KEPT_FLEETS = 6

/** Creates and caches copies of the fleet with edits. Returns undefined for edits that cannot be made. */
export function createFleets(fleet: Fleet) {
  const made = new Map<string, Fleet | undefined>()
  return {
    *with(edits: FleetEdits): Steps<Fleet | undefined> {
      if (isNoEdit(edits)) return fleet
      const key = JSON.stringify(edits)
      if (made.has(key)) return made.get(key)
      let memory: ArrayBuffer | undefined
      for (const [oldest, old] of made) {
        if (made.size < KEPT_FLEETS) break
        made.delete(oldest)
        memory = old && giveUpFleet(old)
      }
      // reuses the memory of the oldest cached fleet, because allocating columns for a large fleet starts garbage collections
      const copy = copyFleet(fleet, memory)
      yield
      const problems = yield* applyEdits(copy, edits)
      made.set(key, problems.length === 0 ? copy : undefined)
      return made.get(key)
    },
  }
}

/** A set of changes, applied: the changed request, the changed profile, and the edits of the fleet. */
export interface Applied {
  /** The request without the changes. */
  readonly given: RequestSpec
  readonly request: RequestSpec
  readonly profile: Profile
  readonly edits: FleetEdits
  readonly filters: Profile['filters'] | undefined
}

export function applyTo(request: RequestSpec, profile: Profile, changes: readonly ProposedChange[]): Applied {
  const filters = changes.reduce((all, change) => change.filters?.(all) ?? all, profile.filters)
  return {
    given: request,
    request: changes.reduce((one, change) => change.request?.(one) ?? one, request),
    edits: changes.reduce((all, { edits }) => (edits === undefined ? all : joinEdits(all, { ...NO_EDITS, ...edits })), NO_EDITS),
    profile: filters === profile.filters ? profile : { ...profile, filters },
    filters: filters === profile.filters ? undefined : filters,
  }
}

/** The input of a decision that places as many instances as possible. */
export const inputOf = (request: RequestSpec, profile: Profile, seed: string): DecideInput => ({
  id: '',
  request,
  profile,
  // the same seed as in a simulation of this request, so that the trial and the simulation have the same result
  seed: `${seed} 0.0`,
  attempt: 1,
  alternatesPerInstance: 0,
  allOrNothing: false,
  claimIds: Array.from({ length: request.numInstances }, (_, i) => `${i}`),
})

/** A `read` for `decideOn` that does not read the state. */
export function* nothing(): Steps<undefined> {
  yield
  return undefined
}

/** Decides as many instances as possible. Then calls `read` on the state in which the next instance found no host. */
export function* decideOn<Read>(
  fleet: Fleet,
  seed: string,
  request: RequestSpec,
  profile: Profile,
  read: (instance: number, judged: Profile) => Steps<Read>,
): Steps<Pick<Decided, 'found' | 'parts' | 'judged'> & { readonly read: Read }> {
  const overlay = openOverlay(fleet)
  try {
    const { found, parts, judged } = yield* decideInSteps(fleet, overlay, { ...inputOf(request, profile, seed), isExplained: true })
    return { found, parts, judged, read: yield* read(found, judged) }
  } finally {
    overlay.discard()
  }
}

/**
 * True if a caller could send the changed request. A proposed request must pass the same checks as the request of a call, and its document
 * of Nova, if it has one, must have the changes. An unchanged request with a document is not checked.
 */
export function isAskable({ request, given }: Pick<Applied, 'request' | 'given'>): boolean {
  if (request.nova !== null && request === given) return true
  if (request.nova !== null && !builtIn().documents.agrees(request, given)) return false
  const typed = { ...request, nova: null }
  // The service does not compare the flavor of a request in Nova's form with its image, so the flavor may have been too small before.
  const isTooSmall = tooSmallForImage(typed).length > (given.nova === null ? 0 : tooSmallForImage({ ...given, nova: null }).length)
  return parseRequestSpec(typed).ok && contradictionsOf(typed).length === 0 && !isTooSmall
}

export function* tryOn(fleet: Fleet, seed: string, applied: Applied, hosts: readonly HostName[], failed: number): Steps<Trial> {
  const { request, profile } = applied
  if (!isAskable(applied)) return { placed: false, found: 0, unlocks: 0, hosts: [], address: null, next: [] }
  const { found, parts, judged, read } = yield* decideOn(fleet, seed, request, profile, function* (instance, by) {
    return instance < request.numInstances ? yield* nextFor(fleet, request, { profile, judged: by }, hosts, instance) : []
  })
  if (found < request.numInstances) return { placed: false, found, unlocks: 0, hosts: [], address: null, next: read }
  const overlay = openOverlay(fleet)
  try {
    // holds the resources of the instances that come before the first instance that found no host without the changes
    const at = Math.min(failed, found - 1)
    for (const part of parts.slice(0, at)) overlay.hold(part, groupOf(request))
    const one = judgedInstance(fleet, request, judged, at)
    const { hosts: unlocked } = yield* runFiltersInSteps(yield* prepareFiltersInSteps(one.compiled, one.request, fleet), fleet)
    const passing = Array.from(unlocked.subarray(0, EXAMPLES), (index) => fleet.hosts.get(index as HostIndex))
    const chosenHosts = parts.slice(at, at + 1).map(({ host: name, node }) => ({ host: name, node }))
    const others = passing
      .map(({ host: name, node }) => ({ host: name, node }))
      .filter((one) => !chosenHosts.some((chosen) => chosen.host === one.host && chosen.node === one.node))
    const examples = [...chosenHosts, ...others].slice(0, EXAMPLES)
    const address = examples[0] === undefined ? null : hostAddress(fleet.hosts, examples[0])
    return { placed: true, found, unlocks: unlocked.length, hosts: examples, address, next: [] }
  } finally {
    overlay.discard()
  }
}

/**
 * Further changes for each host, if the instance with this index finds no host. Yields at each host, because the search for misspelt names
 * can read the names of all hosts.
 */
function* nextFor(
  fleet: Fleet,
  whole: RequestSpec,
  { profile, judged }: { readonly profile: Profile; readonly judged: Profile },
  hosts: readonly HostName[],
  instance: number,
): Steps<readonly NextChanges[]> {
  if (hosts.length === 0) return []
  const asked = askedAt(whole, instance)
  const { checksOf } = yield* prepareChecksInSteps(fleet, asked.request, judged, instance)
  const next: NextChanges[] = []
  for (const host of hosts) {
    yield
    const index = fleet.hosts.find(host)?.index
    const refusing = index === undefined ? undefined : checksOf(index, true).find(({ reason }) => reason !== undefined)
    if (index === undefined || refusing?.reason === undefined) continue
    const { filter, reason } = refusing
    const refusal = { fleet, ...asked, profile, host: index, filter, reason }
    next.push({ host, changes: [...proposalsFor(refusal), ...proposalsForSeveral(refusal)] })
  }
  return next
}
