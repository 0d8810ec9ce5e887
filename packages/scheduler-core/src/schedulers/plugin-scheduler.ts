import type { CompiledProfile, PluginScheduler } from '../contracts/compiled-profile.ts'
import type { Selection, SelectOptions } from '../contracts/scheduler.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { Overlay } from '../fleet/overlay.ts'
import { withFailure } from '../pipeline/failed-scheduler.ts'
import type { ClaimPart, GroupBinding } from '../records/change.ts'
import type { Profile } from '../records/profile.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { frozenCopy } from '../values/frozen-copy.ts'
import type { HostIndex } from '../values/host-index.ts'
import { memoByObject } from '../values/memo.ts'
import type { Steps } from '../values/steps.ts'
import { byMembers, groupOf, placeOn, prepareGrants } from './filter-scheduler.ts'

/** The result of a plug-in's scheduler: a selection or, if it failed, a profile that refuses every host because of the failure. */
export type Chosen = { readonly ok: true; readonly selection: Selection } | { readonly ok: false; readonly failed: Profile }

/**
 * Runs a plug-in's scheduler and checks its result. The scheduler itself cannot yield. The check yields each time it has examined `slice`
 * hosts. Afterwards, the overlay has its earlier content and the selection. If the scheduler fails, the overlay has only its earlier
 * content.
 */
export function* choose(
  scheduler: PluginScheduler,
  compiled: CompiledProfile,
  request: RequestSpec,
  fleet: Fleet,
  overlay: Overlay,
  options: SelectOptions,
  slice: number,
): Steps<Chosen> {
  const before = overlay.size
  const { fail = (what) => new Error(what) } = scheduler
  const shown = shownCopy(request)
  const asked = frozenCopy({ ...options, allOrNothing: false })
  const guarded = guard(overlay, fleet, compiled, request, options.claimIds)
  try {
    const answer = attempt(fail, () => made(scheduler, compiled).select(shown, fleet, guarded.overlay, asked))
    guarded.close()
    const hosts = hostsOf(answer, request, fleet, fail)
    overlay.rollback(before)
    const selection = yield* placeOn(compiled, hosts, request, fleet, overlay, options, slice)
    const wrong = wrongIn(selection, hosts, request, fleet)
    if (wrong !== undefined) throw fail(wrong)
    return { ok: true, selection }
  } catch (error) {
    guarded.close()
    overlay.rollback(before)
    return { ok: false, failed: withFailure(compiled.profile, error instanceof Error ? error.message : String(error)) }
  }
}

const schedulers = new WeakMap<PluginScheduler, WeakMap<CompiledProfile, ReturnType<PluginScheduler['create']>>>()

function made(scheduler: PluginScheduler, compiled: CompiledProfile): ReturnType<PluginScheduler['create']> {
  const known = schedulers.get(scheduler) ?? new WeakMap<CompiledProfile, ReturnType<PluginScheduler['create']>>()
  schedulers.set(scheduler, known)
  const before = known.get(compiled)
  if (before !== undefined) return before
  const created = scheduler.create(compiled)
  known.set(compiled, created)
  return created
}

function attempt(fail: (what: string) => Error, ask: () => unknown): unknown {
  try {
    return ask()
  } catch (error) {
    throw fail(`it threw ${error instanceof Error ? error.message : `a value of type ${typeof error}`}`)
  }
}

/** Plug-ins get this frozen copy of the request, so that they cannot change the request of a claim. Created once per request. */
const shownCopy = memoByObject((request: RequestSpec): RequestSpec => frozenCopy(request))

/**
 * Creates the overlay that a plug-in's scheduler uses. The scheduler can only reserve resources for instances of the request, and only on
 * hosts on which they fit. Calls after the scheduler has returned throw an error. The reserved amounts are computed here and not taken from
 * the scheduler. Therefore a rollback releases exactly what was reserved, even if the scheduler changes its own objects.
 */
function guard(
  overlay: Overlay,
  fleet: Fleet,
  compiled: CompiledProfile,
  request: RequestSpec,
  claimIds: readonly string[],
): { readonly overlay: Overlay; close(): void } {
  const floor = overlay.size
  const group: GroupBinding | null = groupOf(request)
  const grantsFor = byMembers(request, ({ request: asked }) => prepareGrants(compiled, asked, fleet))
  let isOpen = true
  const opened = (): Overlay => {
    if (!isOpen) throw new Error('the decision has ended; a scheduler must call hold, rollback and discard before it returns')
    return overlay
  }
  const refuse = (): never => {
    throw new Error("a plug-in's scheduler cannot call this method; it may only call hold, rollback and discard")
  }
  return {
    overlay: {
      hold({ claim, host, node }) {
        const record = fleet.hosts.find({ host, node })
        if (record === undefined) throw new Error(`cannot reserve resources on ${nameOf({ host, node })}: the fleet has no such host`)
        const instance = claimIds.indexOf(claim)
        if (instance < 0) throw new Error(`cannot reserve resources for the claim ${String(claim)}: it must be one of claimIds`)
        const grants = grantsFor(instance)(record.index)
        opened().hold({ claim, instance: request.instanceUuids[instance] ?? null, host, node, grants }, group)
      },
      holdCopies: refuse,
      holdMove: refuse,
      lift: refuse,
      liftDestination: refuse,
      keepListed: refuse,
      get size() {
        return overlay.size
      },
      rollback: (size) => opened().rollback(Math.max(floor, size)),
      discard: () => opened().rollback(floor),
    },
    close() {
      isOpen = false
    },
  }
}

function hostsOf(answer: unknown, { numInstances }: RequestSpec, fleet: Fleet, fail: (what: string) => Error): HostIndex[] {
  const parts: unknown = isRecord(answer) ? answer.parts : undefined
  if (!Array.isArray(parts)) throw fail('select returned no parts; it must return a list with one part for each instance that has a host')
  if (parts.length > numInstances) throw fail(`select returned ${parts.length} parts; it must return at most ${numInstances}`)
  return parts.map((part: unknown, i) => {
    const name =
      isRecord(part) && typeof part.host === 'string' && typeof part.node === 'string' ? { host: part.host, node: part.node } : undefined
    const host = name === undefined ? undefined : fleet.hosts.find(name)
    if (host === undefined)
      throw fail(
        `select placed instance ${i} on ${name === undefined ? 'something that is not a host' : nameOf(name)}; it must return a host and node of the fleet`,
      )
    return host.index
  })
}

/**
 * Checks a scheduler's selection. It is wrong if a filter refuses a chosen host, or if an instance has no host although hosts pass. Returns
 * a message that says what is wrong, or undefined.
 */
function wrongIn(
  { found, instances }: Selection,
  hosts: readonly HostIndex[],
  { numInstances }: RequestSpec,
  fleet: Fleet,
): string | undefined {
  const taken = hosts[found]
  if (taken !== undefined) return `select placed instance ${found} on ${nameOf(fleet.hosts.get(taken))}, which does not pass`
  const left = instances.at(-1)?.best.length ?? 0
  return found < numInstances && left > 0 ? `select returned no host for instance ${found}; it must return a host that passes` : undefined
}

const nameOf = ({ host, node }: Pick<ClaimPart, 'host' | 'node'>): string => (host === node ? host : `${host}/${node}`)

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => value !== null && typeof value === 'object'
