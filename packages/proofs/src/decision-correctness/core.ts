import {
  auditWorld,
  type Change,
  type ClaimsProposed,
  countCapacity,
  type Decided,
  decide,
  ENTRY_FORMAT,
  examineAgain,
  FEATURE_LEVEL,
  Fleet,
  groupOf,
  type KeptDecision,
  type Overlay,
  openOverlay,
  type Profile,
  type PublishedStats,
  packDecision,
  parseHostStats,
  parseProfile,
  parseRequestSpec,
  publishedStats,
  type RequestSpec,
  replay,
  unpackDecision,
  whatWouldFit,
} from '@gantt/scheduler-core'
import type { Question } from './plan.ts'

/** The functions of the core that are tested. A planted mistake replaces one of them. */
export interface Core {
  readonly decide: typeof decide
  readonly replay: typeof replay
  readonly examineAgain: typeof examineAgain
  readonly countCapacity: typeof countCapacity
  readonly whatWouldFit: typeof whatWouldFit
  readonly auditWorld: typeof auditWorld
}

export const trueCore: Core = { decide, replay, examineAgain, countCapacity, whatWouldFit, auditWorld }

type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly { readonly message: string }[] }

/** Thrown if a plan is invalid. That is a defect of the generator of plans, and not a difference between core and model. */
export class PlanError extends Error {
  override readonly name = 'PlanError'
}

/** Returns the parsed value. Throws PlanError if the input was invalid, because the generator must not produce invalid plans. */
function get<T>(parsed: Parsed<T>): T {
  if (!parsed.ok) throw new PlanError(parsed.problems.map(({ message }) => message).join('; '))
  return parsed.value
}

export const getRequest = (input: unknown): RequestSpec => get(parseRequestSpec(input))
export const getProfile = (input: unknown): Profile => get(parseProfile(input))
export const getStats = (input: unknown) => get(parseHostStats(input))

/**
 * A log with its fleet, at the feature level of this release.
 */
export interface CoreLog {
  readonly fleet: Fleet
  /** Appends an entry with one change. Returns why the change is void; undefined if it takes effect. */
  append(change: Change): string | undefined
}

export function openLog(): CoreLog {
  const fleet = new Fleet()
  const append = (change: Change): string | undefined => {
    const revision = fleet.place.revision + 1
    const entry = { format: ENTRY_FORMAT, id: `e${revision}`, writer: 'truth', basis: fleet.place, changes: [change] } as const
    return fleet.apply({ ...entry, revision, at: 1_000 })[0]
  }
  append({ type: 'feature', level: FEATURE_LEVEL })
  return { fleet, append }
}

/** The change with which a log entry records a full report of a host. */
export const reportOf = (host: string, node: string, stats: PublishedStats, sequence: number): Change => ({
  type: 'report',
  host,
  node,
  incarnation: '00000000-0000-4000-8000-000000000001',
  sequence,
  full: stats,
})

export { publishedStats }

/** Packs a decision into bytes and unpacks it again. The result is like a decision that was read from the store. */
export function asStored({ record, answer }: Decided): KeptDecision {
  const bytes = packDecision({ record, answer })
  if (bytes === undefined) throw new Error('the decision has no packed form')
  const { id, request, profile, seed, attempt } = record
  return unpackDecision(bytes, { id, request, profile, seed, attempt })
}

/** Decides as if the given proposals had taken effect. Does not change the fleet. */
export function decideOn(
  core: Core,
  fleet: Fleet,
  before: readonly ClaimsProposed[],
  profile: Profile,
  question: Question,
  id: string,
): Decided {
  const request = getRequest(question.request)
  return withOverlay(fleet, (overlay) => {
    for (const { parts, group } of before) for (const part of parts) overlay.hold(part, group)
    return core.decide(fleet, overlay, {
      id,
      request,
      profile,
      seed: question.seed,
      attempt: 1,
      alternatesPerInstance: question.alternates,
      allOrNothing: question.allOrNothing,
      claimIds: Array.from({ length: request.numInstances }, (_, i) => `${id}.${i}`),
    })
  })
}

/** Decides on the present fleet, and does not change it. */
export const decideOnce = (fleet: Fleet, profile: Profile, request: RequestSpec, seed: string): Decided =>
  withOverlay(fleet, (overlay) =>
    decide(fleet, overlay, {
      id: 'once',
      request,
      profile,
      seed,
      attempt: 1,
      alternatesPerInstance: 0,
      allOrNothing: true,
      claimIds: Array.from({ length: request.numInstances }, (_, i) => `once.${i}`),
    }),
  )

/** The change with which a log entry proposes the claims of a decision, confirmed or reserved until their hosts count the instances. */
export const proposalOf = ({ parts, answer, record }: Decided, request: RequestSpec, isReservation: boolean): ClaimsProposed => ({
  type: 'claims',
  account: 'truth',
  key: record.id,
  digest: record.id,
  intent: 'CREATE',
  mode: isReservation ? 'RESERVE' : 'CONFIRM',
  ...(isReservation && { untilCounted: true as const }),
  ttlMs: 60_000,
  notAfter: null,
  group: groupOf(request),
  parts,
  answer,
  decision: record,
})

function withOverlay<T>(fleet: Fleet, use: (overlay: Overlay) => T): T {
  const overlay = openOverlay(fleet)
  try {
    return use(overlay)
  } finally {
    overlay.discard()
  }
}
