import {
  type Change,
  type Decided,
  type DecideInput,
  decide,
  FEATURE_LEVEL,
  type Fleet,
  type HostIndex,
  openOverlay,
  type Profile,
  type RequestSpec,
} from '@gantt/scheduler-core'
import { aLog, aReport, aRequest, aUuid, someInstances, type TestLog } from '@gantt/scheduler-core/testing'
import { groupOf } from '../../packages/scheduler-core/src/schedulers/filter-scheduler.ts'
import { profileOf } from '../fleet.ts'

/** Each zone has 4 % of the hosts. */
const ZONES = 25
/** A claim is released when this many later decisions were made, so that the fleet never fills. */
const LIVE_CLAIMS = 512
const INCARNATION = '00000000-0000-4000-8000-000000000001'

/** `mixed`: each request asks for one zone, so 4 % of the hosts pass. `open`: all hosts pass. */
export type Scenario = 'mixed' | 'open'

/** Each scenario has this many classes of requests. */
export const REQUEST_CLASSES = 8

/**
 * A fleet that lives on while decisions are made, as in a service: every decision is followed by an entry of the log with its claims, the
 * release of an old claim, and the report of a host.
 */
export class LivingFleet {
  readonly profile: Profile
  readonly #log: TestLog
  readonly #claims: string[] = []
  readonly #sequences = new Map<string, number>()
  #decisions = 0
  #requests = 0
  #updates = 0

  /** `profile` is the name of the profile by which requests are decided. */
  constructor(hosts: number, profile = 'default') {
    this.#log = aLog()
    this.#append([{ type: 'feature', level: FEATURE_LEVEL }])
    const names = Array.from({ length: hosts }, (_, i) => `compute-${String(i).padStart(6, '0')}`)
    this.#append(
      names.map((name, i) =>
        aReport(name, {
          vcpus: 128,
          vcpusUsed: (i * 7) % 61,
          memoryMb: 524_288,
          memoryMbUsed: (i * 7_919) % 262_144,
          localGb: 8_192,
          localGbUsed: (i * 104_729) % 4_096,
          numIoOps: i % 5,
          traits: i % 3 === 0 ? ['CUSTOM_FAST'] : [],
        }),
      ),
    )
    this.#append(
      Array.from({ length: ZONES }, (_, zone) => ({
        type: 'aggregate' as const,
        uuid: aUuid(zone),
        expectedVersion: 0,
        next: { name: `zone ${zone}`, hosts: names.filter((_, i) => i % ZONES === zone), metadata: { availability_zone: `z${zone}` } },
      })),
    )
    this.profile = profileOf(this.fleet, profile)
  }

  get fleet(): Fleet {
    return this.#log.fleet
  }

  /** The entries of the log. */
  get entries(): TestLog['entries'] {
    return this.#log.entries
  }

  /** A new request of one of the classes. Its instances are new, as in each call of a service. */
  request(scenario: Scenario, requestClass: number, numInstances = 1): RequestSpec {
    const vcpus = 1 + (requestClass % 4)
    return aRequest({
      flavor: { vcpus, memoryMb: 2_048 * vcpus, rootGb: 10 + 10 * (requestClass >> 2) },
      ...(scenario === 'mixed' && { availabilityZone: `z${(requestClass * 3) % ZONES}` }),
      ...this.instances(numInstances),
    })
  }

  /** The fields of a request with new instances. */
  instances(numInstances: number): { readonly numInstances: number; readonly instanceUuids: string[] } {
    return { numInstances, instanceUuids: Array.from({ length: numInstances }, () => aUuid(++this.#requests)) }
  }

  /** Decides a request and takes the reservations back, as a service does that only advises. */
  decide(request: RequestSpec, more: Partial<DecideInput> = {}): Decided {
    const overlay = openOverlay(this.fleet)
    try {
      return decide(this.fleet, overlay, {
        id: `d${this.#decisions}`,
        request,
        profile: this.profile,
        seed: `seed ${this.#decisions}`,
        attempt: 1,
        alternatesPerInstance: 2,
        allOrNothing: true,
        claimIds: request.instanceUuids.map((uuid) => `claim of ${uuid}`),
        ...more,
      })
    } finally {
      overlay.discard()
    }
  }

  /** Appends an entry with the claims of a decision, the release of the oldest claim if there are many, and the report of a host. */
  settle(request: RequestSpec, { parts, answer, record }: Decided): void {
    const changes: Change[] = []
    if (parts.length > 0) {
      const key = `key ${this.#decisions}`
      const proposed = someInstances({ key, mode: 'CONFIRM', group: groupOf(request), project: request.projectId })
      changes.push({ ...proposed, parts, answer, decision: record })
    }
    for (const { claim } of parts) this.#claims.push(claim)
    while (this.#claims.length > LIVE_CLAIMS) {
      const claim = this.#claims.shift() as string
      changes.push({ type: 'release', claim, fence: this.fleet.ledger.claims.get(claim)?.fence ?? 0, reason: null })
    }
    this.#decisions++
    this.#append([...changes, this.#update()])
  }

  /** The reports of hosts, one for each. They change the hosts' columns. */
  updates(count: number): readonly Change[] {
    return Array.from({ length: count }, () => this.#update())
  }

  /** Appends an entry with these changes. */
  apply(changes: readonly Change[]): void {
    this.#append(changes)
  }

  #update(): Change {
    // the step is prime, so that consecutive updates are of hosts that are far apart
    const { host, node } = this.fleet.hosts.get(((this.#updates * 7_919) % this.fleet.hosts.count) as HostIndex)
    const update = this.#updates++
    const baseSequence = this.#sequences.get(host) ?? 1
    this.#sequences.set(host, baseSequence + 1)
    const delta = { baseSequence, numIoOps: update % 5, localGbUsed: (update * 31) % 4_096 }
    return { type: 'report', host, node, incarnation: INCARNATION, sequence: baseSequence + 1, delta }
  }

  #append(changes: readonly Change[]): void {
    const refused = this.#log.append(changes, { id: `e${this.#log.fleet.place.revision + 1}` })
    const position = refused.findIndex((verdict) => verdict !== undefined)
    if (position >= 0) throw new Error(`expected that every change is valid, found ${changes[position]?.type} ${refused[position]}`)
  }
}
