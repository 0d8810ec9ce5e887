import type { Fleet } from '../fleet/fleet.ts'
import { type Change, FEATURE_LEVEL, type HostStatus, hostStatuses, livenessStates } from '../records/change.ts'
import { isLive } from '../records/claim.ts'
import { type Profile, profileSchema } from '../records/profile.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import type { DecideInput } from '../schedulers/decide.ts'
import { STRICT_CLAIMS } from '../values/levels.ts'
import { aClaim, aUuid } from './claims.ts'
import { createDraw, type Draw } from './draw.ts'
import { aReport, type HostShape } from './fleet.ts'
import { aLog } from './log.ts'
import { aNovaProfile, aNovaReport, novaFields, novaStats } from './nova-shapes.ts'
import { aRequest } from './request.ts'

/** How the amounts of hosts are drawn: few different values, many different values, all equal, or extreme values. */
const shapes = ['few', 'many', 'equal', 'extreme'] as const
const ZONES = ['z0', 'z1', 'z2']
/** A resource class that few hosts have. */
const CLASS = 'CUSTOM_FEW'
const extraSpecs = [{ 'trait:CUSTOM_FAST': 'required' }, { ssd: 'true' }, { [`resources:${CLASS}`]: '1' }]
const weighers = ['RAMWeigher', 'CPUWeigher', 'DiskWeigher', 'IoOpsWeigher', 'NumInstancesWeigher']
const uncommonWeighers = ['FullnessWeigher', 'BestFitWeigher', 'DotProductWeigher', 'ServerGroupSoftAffinityWeigher']
/** The feature levels at which a fleet can begin. Some are below the levels that change rules of filters. */
const levels = [FEATURE_LEVEL, FEATURE_LEVEL, FEATURE_LEVEL - 1, STRICT_CLAIMS, STRICT_CLAIMS - 1]
const multipliers = [1, 1, -1, 0, 0.1, 3, -2.5, 1e-9, 1e9]

/**
 * A random fleet under random changes, and random decisions on it. Requests occur again, so that what is kept between decisions is used.
 * The same seed gives the same fleet, changes and decisions.
 */
export class Churn {
  readonly #log = aLog()
  readonly #draw: Draw
  readonly #shape: (typeof shapes)[number]
  readonly #isNova: boolean
  readonly #isTimed: boolean
  readonly #profiles: readonly Profile[]
  readonly #requests: readonly RequestSpec[]
  readonly #sequences = new Map<string, number>()
  #named = 0
  /** The kind of the last decision. */
  #kind: Pick<DecideInput, 'request' | 'profile'> | undefined

  /** `hosts` is the most hosts at the beginning. With `isNova`, the profiles have `compat: nova`. */
  constructor(seed: string, hosts: number, isNova = false) {
    this.#draw = createDraw(seed)
    this.#isNova = isNova
    this.#isTimed = isNova && this.#draw.chance(25)
    this.#shape = this.#draw.of(shapes)
    this.#log.append([{ type: 'feature', level: this.#draw.of(levels) }])
    const count = 1 + this.#draw.below(hosts)
    this.#log.append(Array.from({ length: count }, () => this.#join()))
    for (let zone = 0; zone < ZONES.length; zone++) this.#log.append([this.#aggregate(zone)])
    this.#profiles = Array.from({ length: 3 }, (_, i) => (isNova ? aNovaProfile(this.#draw, i) : this.#profile(i)))
    this.#requests = Array.from({ length: 6 }, () => this.#request())
  }

  get fleet(): Fleet {
    return this.#log.fleet
  }

  /** The input of the next decision. */
  decision(): DecideInput {
    // many decisions have the kind of the one before, as in a service with few kinds of requests
    if (this.#kind === undefined || this.#draw.chance(50)) {
      const request = this.#draw.chance(95) ? this.#draw.of(this.#requests) : this.#request()
      this.#kind = { request, profile: this.#draw.of(this.#profiles) }
    }
    const { request: kind, profile } = this.#kind
    const id = `d${this.#named++}`
    // requests of one kind differ in their instances, as in a service
    const instanceUuids = Array.from({ length: this.#draw.chance(50) ? kind.numInstances : 0 }, () => aUuid(0x1_0000 + this.#named++))
    const request = { ...kind, instanceUuids }
    return {
      id,
      request,
      profile,
      seed: `s${this.#draw.below(5)}`,
      attempt: 1,
      alternatesPerInstance: this.#draw.of([0, 2, 2, 12]),
      allOrNothing: this.#draw.chance(50),
      claimIds: Array.from({ length: request.numInstances }, (_, i) => `${id}.${i}`),
    }
  }

  /** Writes the claims of a decision to the log. */
  claim({ id, request }: DecideInput, parts: ReturnType<typeof aClaim>['parts'], group: ReturnType<typeof aClaim>['group']): void {
    if (parts.length === 0) return
    const proposal = aClaim({ key: id, group, mode: 'CONFIRM' })
    const { answer } = aClaim({ key: id, hosts: parts.map(({ host }) => host), instances: parts.map(({ instance }) => instance) })
    this.#log.append([{ ...proposal, parts, answer, decision: { ...proposal.decision, id, seed: request.projectId ?? id } }])
  }

  /** Applies one random change to the fleet. */
  change(): void {
    const change = this.#change()
    if (change !== undefined) this.#log.append([change])
  }

  #change(): Change | undefined {
    const draw = this.#draw
    const record = this.#host()
    if (record === undefined) return this.#join()
    const { host, node } = record
    switch (draw.of(['release', 'release', 'report', 'report', 'status', 'liveness', 'aggregate', 'rare'])) {
      case 'release': {
        const claim = draw.of([...record.claims].filter(isLive))
        return claim && { type: 'release', claim: claim.id, fence: claim.fence, reason: null }
      }
      case 'report':
        return this.#report(host, this.#stats())
      case 'status':
        return { type: 'status', host, node, status: draw.chance(70) ? 'ENABLED' : (draw.of(hostStatuses) as HostStatus), reason: '' }
      case 'liveness':
        return { type: 'liveness', host, node, state: draw.chance(70) ? 'UP' : draw.of(livenessStates), reason: '' }
      case 'aggregate':
        return this.#aggregate(draw.below(ZONES.length))
      default:
        if (draw.chance(40)) return this.#join()
        if (draw.chance(30)) return { type: 'feature', level: Math.min(FEATURE_LEVEL, this.fleet.featureLevel + 1 + draw.below(3)) }
        if (draw.chance(50)) return { type: 'forget', hosts: [{ host, node }], isForced: true, reason: '' }
        return { type: 'replace', hosts: [{ from: { host, node }, to: this.#name() }], reason: '' }
    }
  }

  #host() {
    const { presentIndexes } = this.fleet.hosts
    return presentIndexes.length === 0 ? undefined : this.fleet.hosts.records[this.#draw.of([...presentIndexes])]
  }

  #name() {
    const host = `h${this.#named++}`
    return { host, node: host }
  }

  #join(): Change {
    return this.#report(this.#name().host, this.#stats())
  }

  #report(host: string, shape: HostShape): Change {
    const sequence = (this.#sequences.get(host) ?? 0) + 1
    this.#sequences.set(host, sequence)
    if (!this.#isNova) return aReport(host, shape, sequence)
    return this.#draw.chance(40)
      ? aNovaReport(this.#draw, host, sequence, shape, this.#isTimed)
      : aReport(host, { ...shape, ...novaStats(this.#draw) }, sequence)
  }

  #stats(): HostShape {
    const draw = this.#draw
    const few = (most: number) => draw.below(3) * Math.floor(most / 3)
    const amount = (most: number): number =>
      this.#shape === 'few'
        ? few(most)
        : this.#shape === 'many'
          ? draw.below(most)
          : this.#shape === 'equal'
            ? Math.floor(most / 3)
            : draw.of([0, 1, most - 1, most, few(most)])
    const memoryMb = this.#shape === 'extreme' ? draw.of([0, 1, 65_536, 2 ** 26]) : 65_536
    return {
      vcpus: 32,
      vcpusUsed: amount(32),
      memoryMb,
      memoryMbUsed: Math.min(memoryMb, amount(65_536)),
      localGb: 2_000,
      localGbUsed: amount(2_000),
      runningVms: amount(9),
      numIoOps: amount(6),
      ...(draw.chance(3) ? { omitted: ['traits' as const] } : { traits: draw.chance(30) ? ['CUSTOM_FAST'] : [] }),
      gpus: draw.chance(10) ? [{ index: 0 }, { index: 1 }] : [],
      ...(draw.chance(10) && { ramAllocationRatio: 4, memoryMb: 16_384 }),
      ...(draw.chance(20) && { inventories: [{ resourceClass: CLASS, total: 2 }] }),
    }
  }

  #aggregate(zone: number): Change {
    const draw = this.#draw
    const uuid = aUuid(zone)
    const hosts = [...this.fleet.hosts.present].filter(() => draw.chance(30)).map(({ host }) => host)
    const metadata = {
      ...(draw.chance(50) && { availability_zone: ZONES[zone] as string }),
      ...(draw.chance(60) && { ram_weight_multiplier: draw.of(['-1', '0.5', '7', 'x']) }),
      ...(draw.chance(30) && { cpu_weight_multiplier: draw.of(['0', '2']) }),
      ...(draw.chance(50) && { ssd: draw.of(['true', 'false']) }),
    }
    const expectedVersion = this.fleet.aggregates.byUuid.get(uuid)?.version ?? 0
    // a host is in one zone at most
    const free = hosts.filter((host) => this.fleet.aggregates.of(host).every((other) => other.uuid === uuid))
    return { type: 'aggregate', uuid, expectedVersion, next: { name: `a${zone}`, hosts: free, metadata } }
  }

  #profile(number: number): Profile {
    const draw = this.#draw
    const named = [...weighers, ...(draw.chance(30) ? [draw.of(uncommonWeighers)] : [])].filter(() => draw.chance(60))
    const isByAggregate = draw.chance(50)
    return profileSchema.parse({
      name: `p${number}`,
      number: 1,
      filters: [
        'ComputeFilter',
        'AvailabilityZoneFilter',
        'RamFilter',
        'CoreFilter',
        'DiskFilter',
        'TraitsFilter',
        'DifferentHostFilter',
        'AggregateInstanceExtraSpecsFilter',
      ]
        .filter(() => draw.chance(85))
        .map((name) => ({ name })),
      weighers: named.map((name) => ({
        name,
        multiplier: draw.of(multipliers),
        options: isByAggregate && weighers.includes(name) ? { aggregateMultiplier: true } : {},
      })),
      normalisation: draw.of(['minmax', 'minmax', 'fixed', 'rank']),
      tieOrder: draw.of(['first-seen', 'first-seen', 'seeded']),
      hostSubsetSize: draw.of([1, 1, 1, 3, 100]),
    })
  }

  #request(): RequestSpec {
    const draw = this.#draw
    const uuid = aUuid(0x100 + draw.below(3))
    const policy = draw.of(['ANTI_AFFINITY', 'ANTI_AFFINITY', 'AFFINITY', 'SOFT_AFFINITY', 'SOFT_ANTI_AFFINITY'] as const)
    const names = [...this.fleet.hosts.present].filter(() => draw.chance(5)).map(({ host }) => host)
    return aRequest({
      vcpus: draw.below(4),
      memoryMb: draw.of([0, 512, 1_024, 20_000]),
      numInstances: draw.of([1, 1, 1, 2, 5]),
      ...(draw.chance(20) && { availabilityZone: draw.of([...ZONES, 'nowhere']) }),
      ...(draw.chance(30) && {
        instanceGroup: { uuid, policy, ...(policy === 'ANTI_AFFINITY' && draw.chance(40) && { maxServerPerHost: 2 }), hosts: names },
        ...(draw.chance(20) && { topologySpread: [{ topologyKey: 'zone', maxSkew: 1 }] }),
      }),
      ...(draw.chance(20) && { ignoreHosts: names }),
      ...(draw.chance(5) && { forceHosts: names }),
      ...(draw.chance(10) && { gpus: { shareMilli: 400 } }),
      ...(draw.chance(30) && { flavor: { vcpus: 1, memoryMb: 512, extraSpecs: draw.of(extraSpecs) } }),
      ...(draw.chance(10) && { schedulerHints: { different_host: [aUuid(1)] } }),
      ...(this.#isNova && novaFields(draw)),
    })
  }
}
