import type { Profile, RequestSpec } from '@gantt/scheduler-core'
import { reserveCountedByNova } from './allocation.ts'
import { cellsOf } from './cells.ts'
import { demandOf } from './demand.ts'
import { type Ask, filters, nets } from './filters.ts'
import { aggregatesOf, apartOf, capacity, free, membersOn } from './fleet.ts'
import { fitting, type GpusAsked, gpusOf, leastFragmenting, type ModelGpu, type Options } from './gpu.ts'
import { assignCells, guestCellsOf, takeCells } from './numa.ts'
import { createDraw, shuffledPlace } from './random.ts'
import type { Refusal } from './refusal.ts'
import type { ModelFleet, ModelGroup, ModelHost, Takes } from './state.ts'
import { multiplierOf, weighers } from './weighers.ts'

export interface ModelQuestion {
  readonly request: RequestSpec
  readonly profile: Profile
  readonly seed: string
  readonly alternates: number
  readonly allOrNothing: boolean
}

export interface ModelDestination {
  readonly host: string
  readonly node: string
  readonly weight: number
  readonly limits: Readonly<Record<string, number>>
}

/** The verdict of one filter on one host. */
export interface ModelCheck {
  readonly filter: string
  readonly verdict: 'PASS' | 'FAIL' | 'NOT_RUN' | 'NOT_ASKED'
  readonly refusal?: Refusal
}

export interface ModelScore {
  readonly host: number
  readonly raw: readonly number[]
  readonly contributions: readonly number[]
  readonly total: number
}

/** The result for one instance: the verdict of every filter on every host, and the passing hosts, best first. */
export interface ModelInstance {
  /** The filters in the order in which they run. `asked` is false if the filter does not apply to the request. */
  readonly filters: readonly { readonly filter: string; readonly asked: boolean }[]
  /** How many hosts were checked. */
  readonly hosts: number
  /** The verdicts on each host, by its index. Empty for a host that has left. */
  readonly checks: readonly (readonly ModelCheck[])[]
  readonly counts: readonly { readonly filter: string; readonly entered: number; readonly passed: number }[]
  readonly ranked: readonly ModelScore[]
  readonly tied: number
}

export interface ModelDecision {
  readonly instances: readonly ModelInstance[]
  readonly found: number
  readonly placed: readonly {
    readonly instance: string | null
    readonly host: ModelHost
    readonly takes: Takes
    readonly selected: ModelDestination
    readonly alternates: readonly ModelDestination[]
  }[]
}

/**
 * Decides one instance after the other without changing the fleet. If the members of an affinity group do not all fit on the best host, the
 * hosts are tried from the best to the worst, and the first on which all members fit is chosen.
 */
export function decideAsModel(fleet: ModelFleet, question: ModelQuestion): ModelDecision {
  const { request, allOrNothing } = question
  const isWhole = ({ found }: ModelDecision): boolean => found === request.numInstances
  const kept = (decision: ModelDecision): ModelDecision => (allOrNothing && !isWhole(decision) ? { ...decision, placed: [] } : decision)
  const first = placeEach(fleet, question)
  if (isWhole(first) || request.instanceGroup?.policy !== 'AFFINITY' || request.numInstances === 1) return kept(first)
  const inOrder = first.instances[0]?.ranked ?? []
  const onOneHost = inOrder.map(({ host }) => placeEach(fleet, question, host)).find(isWhole)
  return onOneHost ?? kept(first)
}

/** Places each instance on the best host for it, or on the host with the index `given`. */
function placeEach(fleet: ModelFleet, question: ModelQuestion, given?: number): ModelDecision {
  const { request, profile, seed, alternates } = question
  const seen: ModelFleet = { ...fleet, claims: [...fleet.claims] }
  const draw = createDraw(seed)
  const instances: ModelInstance[] = []
  const placed: ModelDecision['placed'][number][] = []
  for (let i = 0; i < request.numInstances; i++) {
    const one = lookAt(seen, question, i)
    instances.push(one)
    const { ranked } = one
    const drawn = profile.hostSubsetSize > 1 && ranked.length > 0 ? draw(Math.min(profile.hostSubsetSize, ranked.length)) : 0
    const taken = given === undefined ? drawn : ranked.findIndex(({ host }) => host === given)
    const best = ranked[taken]
    if (best === undefined) break
    const destination = ({ host, total }: ModelScore): ModelDestination => nameAndLimits(seen, request, host, total)
    const others = ranked.filter((_, rank) => rank !== taken).slice(0, alternates)
    const host = seen.hosts[best.host] as ModelHost
    const takes = takesOn(seen, request, profile, host)
    const instance = request.instanceUuids[i] ?? null
    placed.push({ instance, host, takes, selected: destination(best), alternates: others.map(destination) })
    seen.claims.push({ host, instance, group: groupOf(request), takes, isListed: false, isHeldInAddition: false, isLogged: false })
  }
  return { instances, found: placed.length, placed }
}

/** A request's group with its policy, in the form that a claim stores. */
export function groupOf({ instanceGroup }: RequestSpec): ModelGroup | null {
  if (instanceGroup === null) return null
  const { uuid, policy, maxServerPerHost, apartFrom } = instanceGroup
  return { uuid, policy, most: policy === 'ANTI_AFFINITY' ? (maxServerPerHost ?? 1) : null, apartFrom }
}

function lookAt(fleet: ModelFleet, { request, profile, seed }: ModelQuestion, instance: number): ModelInstance {
  const steps = stepsOf(fleet, request, profile)
  const checks = fleet.hosts.map((host) => (host.isGone ? [] : checkHost(steps, host)))
  let left = fleet.hosts.flatMap(({ isGone }, h) => (isGone ? [] : [h]))
  const hosts = left.length
  const counts: ModelInstance['counts'][number][] = []
  for (const [s, { name, ask }] of steps.entries()) {
    if (ask === undefined) continue
    const passing = left.filter((h) => checks[h]?.[s]?.verdict === 'PASS')
    counts.push({ filter: name, entered: left.length, passed: passing.length })
    left = passing
  }
  const isChance = profile.scheduler === 'chance'
  const scores = weigh(fleet, request, isChance ? { ...profile, weighers: [] } : profile, left)
  const ranked = [...scores].sort((a, b) => {
    if (a.total !== b.total) return b.total - a.total
    if (isChance) return byPlace(`${seed}/${instance}`, a.host, b.host)
    return profile.tieOrder === 'seeded' ? byPlace(seed, a.host, b.host) : a.host - b.host
  })
  return {
    filters: steps.map(({ name, ask }) => ({ filter: name, asked: ask !== undefined })),
    hosts,
    checks,
    counts,
    ranked,
    tied: ranked.filter(({ total }) => total === ranked[0]?.total).length,
  }
}

const byPlace = (seed: string, a: number, b: number): number => (shuffledPlace(seed, a) < shuffledPlace(seed, b) ? -1 : 1)

interface Step {
  readonly name: string
  readonly ask: Ask | undefined
  readonly isNet: boolean
}

/**
 * The filters in the order in which they run: first `Candidates`, then the filters of the profile, then those filters of `nets` that the
 * profile does not list.
 */
function stepsOf(fleet: ModelFleet, request: RequestSpec, { filters: listed }: Profile): Step[] {
  const names = listed.map(({ name }) => name)
  const isForced = request.forceHosts.length > 0 || request.forceNodes.length > 0
  const isAsked = (name: string): boolean => {
    if (!isForced || request.forceVerify === 'ALL') return true
    if (name === 'Candidates' || nets.includes(name)) return true
    return request.forceVerify === 'HARD' && name === 'ComputeFilter'
  }
  const step = (name: string, isNet: boolean): Step => {
    const filter = filters[name]
    if (filter === undefined) throw new RangeError(`the model does not implement the filter ${name}`)
    return { name, ask: isAsked(name) ? filter(request, fleet) : undefined, isNet }
  }
  return [
    step('Candidates', false),
    ...names.map((name) => step(name, false)),
    ...nets.filter((name) => !names.includes(name)).map((name) => step(name, true)),
    ...apartSteps(fleet, request),
  ]
}

/**
 * The filter that keeps groups apart. It runs only if the request's group, or another group with members, has a rule that keeps the two
 * groups apart. Every claim must satisfy such a rule, even if the profile does not list the filter.
 */
function apartSteps(fleet: ModelFleet, { instanceGroup }: RequestSpec): Step[] {
  const others = instanceGroup === null ? [] : apartOf(fleet, instanceGroup.uuid, instanceGroup.apartFrom)
  if (others.length === 0) return []
  const ask: Ask = (host) => {
    const first = others.find((other) => membersOn(fleet, host, other) > 0)
    return first === undefined ? undefined : { code: 'group.apart', need: `no member of ${first}`, have: membersOn(fleet, host, first) }
  }
  return [{ name: 'ServerGroupApartFilter', ask, isNet: false }]
}

function checkHost(steps: readonly Step[], host: ModelHost): ModelCheck[] {
  let isRefused = false
  return steps.map(({ name, ask, isNet }): ModelCheck => {
    if (ask === undefined) return { filter: name, verdict: 'NOT_ASKED' }
    if (isNet && isRefused) return { filter: name, verdict: 'NOT_RUN' }
    const refusal = ask(host)
    if (refusal === undefined) return { filter: name, verdict: 'PASS' }
    isRefused = true
    return { filter: name, verdict: 'FAIL', refusal }
  })
}

/**
 * The score of each host. Every weigher's raw value is scaled over the hosts that passed and multiplied by the host's multiplier. The
 * products are added in the order of the profile.
 */
function weigh(fleet: ModelFleet, request: RequestSpec, profile: Profile, passing: readonly number[]): ModelScore[] {
  const columns = profile.weighers.map(({ name, multiplier, options }) => {
    const weigher = weighers[name]
    if (weigher === undefined) throw new RangeError(`the model does not implement the weigher ${name}`)
    const raw = passing.map((h) => weigher.raw(request, fleet, fleet.hosts[h] as ModelHost, options))
    const scaled = raw.map((value) => scale(value, raw, weigher.from, profile.normalisation))
    const key = options.aggregateMultiplier === true ? weigher.key : undefined
    const multipliers = passing.map((h) => multiplierOf(aggregatesOf(fleet, fleet.hosts[h] as ModelHost), key, multiplier))
    return { raw, contributions: scaled.map((value, i) => (multipliers[i] as number) * value) }
  })
  return passing.map((host, i) => {
    const contributions = columns.map((column) => column.contributions[i] as number)
    let total = 0
    for (const contribution of contributions) total += contribution
    return { host, raw: columns.map((column) => column.raw[i] as number), contributions, total }
  })
}

function scale(value: number, all: readonly number[], from: number | undefined, normalisation: Profile['normalisation']): number {
  if (normalisation === 'fixed') return value
  if (normalisation === 'rank') return all.filter((other) => other < value).length / Math.max(1, all.length - 1)
  const min = Math.min(...all, ...(from === undefined ? [] : [from]))
  const max = Math.max(...all)
  return max === min ? 0 : (value - min) / (max - min)
}

function nameAndLimits(fleet: ModelFleet, request: RequestSpec, position: number, weight: number): ModelDestination {
  const host = fleet.hosts[position] as ModelHost
  const limits: Record<string, number> = {}
  for (const resourceClass of Object.keys(demandOf(request).amounts))
    limits[resourceClass] = capacity(host, resourceClass) + reserveCountedByNova(fleet, host, resourceClass)
  return { host: host.host, node: host.node, weight, limits }
}

/** The resources that an instance gets on a host that passed all filters. The profile's assignment rules choose its cells and GPUs. */
function takesOn(fleet: ModelFleet, request: RequestSpec, { assignment }: Profile, host: ModelHost): Takes {
  const { amounts } = demandOf(request)
  const guests = guestCellsOf(request)
  const assignedCells = guests.length === 0 ? undefined : assignCells(guests, cellsOf(fleet, host), assignment.numa?.rule ?? 'first')
  return {
    ...(Object.keys(amounts).length > 0 && { classes: amounts }),
    ...(assignedCells !== undefined && { numa: takeCells(guests, assignedCells) }),
    ...(request.gpus !== null && { gpu: takeGpus(fleet, request, request.gpus, assignment.gpu, host) }),
  }
}

function takeGpus(
  fleet: ModelFleet,
  request: RequestSpec,
  asked: GpusAsked,
  setting: Profile['assignment']['gpu'],
  host: ModelHost,
): NonNullable<Takes['gpu']> {
  const gpus = gpusOf(fleet, host)
  const toTaken = (chosen: readonly ModelGpu[]) => chosen.map(({ index }) => ({ index, milli: asked.shareMilli }))
  const rule = setting?.rule ?? 'fullest'
  if (rule === 'least-fragmentation') {
    const { typical = [] }: Options = setting?.options ?? {}
    const choice = leastFragmenting(gpus, free(fleet, host, 'VCPU'), demandOf(request).amounts.VCPU ?? 0, asked, typical)
    return toTaken(choice?.chosen ?? [])
  }
  const isWhole = asked.shareMilli === 1_000
  const byRoom = (a: ModelGpu, b: ModelGpu) => (rule === 'fullest' ? a.free - b.free : b.free - a.free)
  const ordered = isWhole || rule === 'first' ? gpus : [...gpus].sort((a, b) => byRoom(a, b) || a.index - b.index)
  return toTaken(fitting(ordered, asked).slice(0, asked.count))
}
