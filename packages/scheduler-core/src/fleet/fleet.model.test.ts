import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { byExtent } from '../../../../testing/extent.ts'
import { audit } from '../audit/audit.ts'
import { grantsFit } from '../claims/held-amounts.ts'
import type { Void } from '../claims/judge.ts'
import { type ClaimPart, FEATURE_LEVEL, type GroupBinding, isProposal, type LogEntry } from '../records/change.ts'
import { type Claim, isLive } from '../records/claim.ts'
import { aUuid } from '../testing/index.ts'
import { canonicalJson } from '../values/canonical-json.ts'
import type { HostIndex } from '../values/host-index.ts'
import { ALLOCATION_RULES, ENDED_CLAIMS, STRICT_CLAIMS } from '../values/levels.ts'
import { checkpointOf, restoreFleet } from './checkpoint.ts'
import { Fleet, PLACE_WINDOW } from './fleet.ts'
import { Historian, histories, isAlone, type Step } from './history.suite.ts'
import { grantsOf } from './history-grants.suite.ts'
import { actualOf, columnsOf, expectedOf, promisedTooMuch, roomOf } from './model/expected.ts'
import { openOverlay } from './overlay.ts'

const stored = (fleet: Fleet): string => canonicalJson(checkpointOf(fleet))
const restored = (fleet: Fleet): Fleet => restoreFleet(JSON.parse(stored(fleet)))

class Checker {
  readonly fleet = new Fleet()
  readonly historian: Historian
  /** The ids of ended claims whose instances stayed on the host. */
  readonly #lingering = new Set<string>()
  readonly #ended = new Set<string>()
  /** For moves within one host, the id of the source claim by the id of the destination claim. */
  readonly #inPlace = new Map<string, string>()
  readonly #settled = new Set<string>()
  readonly #twins: Fleet[] = []
  readonly #level: number

  constructor(level: number) {
    this.#level = level
    this.historian = new Historian(level)
  }

  step(step: Step, position: number): void {
    const { fleet } = this
    const entry = this.historian.next(fleet, step)
    const [before, room] = [columnsOf(fleet), roomOf(fleet)]
    const verdicts = fleet.apply(entry)
    this.#follow()
    this.#checkRoom(entry, verdicts, room)
    this.#checkParts(entry, verdicts)
    this.#checkConservation()
    this.#checkGroups()
    this.#checkPresence()
    if (verdicts.every((verdict) => verdict !== undefined)) expect(columnsOf(fleet)).toBe(before)
    for (const twin of this.#twins) {
      expect(twin.apply(entry)).toEqual(verdicts)
      expect(stored(twin)).toBe(stored(fleet))
      expect(columnsOf(twin)).toBe(columnsOf(fleet))
    }
    // a fleet is restored from a checkpoint, and every tenth restored fleet applies the following entries too
    const twin = restored(fleet)
    expect(stored(twin)).toBe(stored(fleet))
    expect(columnsOf(twin)).toBe(columnsOf(fleet))
    if (position % 10 === 0) this.#twins.push(twin)
    this.#checkOverlay(position)
  }

  end(): void {
    const scratch = new Fleet()
    for (const entry of this.historian.entries) scratch.apply(structuredClone(entry))
    expect(stored(scratch)).toBe(stored(this.fleet))
    expect(columnsOf(scratch)).toBe(columnsOf(this.fleet))
  }

  #live(): Claim[] {
    return [...this.fleet.ledger.claims.values()].filter(isLive)
  }

  #follow(): void {
    const { hosts } = this.fleet
    const isPresent = ({ host, instance }: Claim) => {
      const { present, stats } = hosts.get(host)
      return instance !== null && present.has(instance) && (stats.instances !== null || this.fleet.featureLevel < ENDED_CLAIMS)
    }
    for (const claim of this.fleet.ledger.claims.values()) {
      if (claim.source !== null && this.fleet.ledger.isInPlace(claim)) this.#inPlace.set(claim.id, claim.source)
      if (isLive(claim) || this.#ended.has(claim.id)) continue
      this.#ended.add(claim.id)
      if (claim.reason === 'moved') this.#settled.add(claim.id)
      if (isPresent(claim) && !this.#isOthers(claim)) this.#lingering.add(claim.id)
    }
    for (const id of this.#lingering) {
      const claim = this.fleet.ledger.claims.get(id)
      if (claim === undefined || !isPresent(claim) || this.#isReplaced(claim)) this.#lingering.delete(id)
    }
  }

  /** Returns true if the host has a materialised claim of the same instance. */
  #isReplaced({ host, instance }: Claim): boolean {
    if (this.fleet.featureLevel < ENDED_CLAIMS) return false
    return [...this.fleet.hosts.get(host).claims].some((other) => other.instance === instance && other.state === 'MATERIALISED')
  }

  /**
   * For an ended claim of a move within one host: returns true if the resources of the instance are now reserved by the second claim of the
   * move.
   */
  #isOthers({ id, reason }: Claim): boolean {
    const source = this.#inPlace.get(id)
    if (source !== undefined) return !this.#settled.has(source)
    return reason === 'moved' && [...this.#inPlace.values()].includes(id)
  }

  /** Checks I1 and I2: a claim neither makes a free amount negative nor increases an existing excess. */
  #checkRoom(entry: LogEntry, verdicts: readonly Void[], before: readonly number[]): void {
    if (entry.changes.some(isAlone)) return
    // an operator can set an allocation ratio so low that the capacity is below the claimed amount
    const mayLower = entry.changes.some(({ type }) => ['hostAllocation', 'fleetAllocation', 'aggregate'].includes(type))
    if (mayLower && this.fleet.featureLevel >= ALLOCATION_RULES) return
    for (const [i, room] of roomOf(this.fleet).entries()) expect(room).toBeGreaterThanOrEqual(Math.min(0, before[i] as number))
    for (const [i, change] of entry.changes.entries()) {
      if (!isProposal(change) || verdicts[i] !== undefined) continue
      for (const { grants } of change.parts) {
        const amount = grants.classes?.CUSTOM_X ?? 2
        expect([amount % 2, amount <= 4]).toEqual([0, true])
      }
    }
  }

  /** Checks I5: if a proposal is valid, all of its claims exist. If the proposal is void, none of its claims exist. */
  #checkParts(entry: LogEntry, verdicts: readonly Void[]): void {
    for (const [i, change] of entry.changes.entries()) {
      if (!isProposal(change)) continue
      const made = change.parts.map(({ claim }) => this.fleet.ledger.claims.get(claim)?.fence)
      if (verdicts[i] === undefined) for (const fence of made) expect(Math.floor((fence ?? 0) / 65_536)).toBe(entry.revision)
      else
        expect(
          made.some((fence) => Math.floor((fence ?? 0) / 65_536) === entry.revision && !this.#countsElsewhere(entry, verdicts, i)),
        ).toBe(false)
    }
  }

  /** Returns true if another proposal of the entry is valid. The other proposal can have the same claim ids. */
  #countsElsewhere(entry: LogEntry, verdicts: readonly Void[], index: number): boolean {
    return entry.changes.some((change, i) => i !== index && isProposal(change) && verdicts[i] === undefined)
  }

  /** Checks I13: the sums of each host are exactly the amounts of its claims and its report. */
  #checkConservation(): void {
    const { hosts, ledger } = this.fleet
    for (const record of hosts.records) {
      if (this.#level < STRICT_CLAIMS) expect(actualOf(this.fleet, record)).toEqual(expectedOf(this.fleet, record, this.#lingering))
      else expect(promisedTooMuch(this.fleet, record)).toEqual([])
    }
    if (this.#level >= STRICT_CLAIMS) expect([...audit(this.fleet)].flatMap(({ findings }) => findings)).toEqual([])
    const claims = [...ledger.claims.values()]
    const isHeldOnly = (claim: Claim) => !isLive(claim) && claim.heldUntil !== null
    expect([...ledger.lapsing.keys()].sort()).toEqual(
      claims
        .filter((claim) => claim.state === 'RESERVED' || isHeldOnly(claim))
        .map(({ id }) => id)
        .sort(),
    )
    for (const claim of claims) {
      expect(hosts.get(claim.host).claims.has(claim)).toBe(isLive(claim) || isHeldOnly(claim) || this.#lingering.has(claim.id))
      expect(claim.expiresAt !== null && isLive(claim)).toBe(claim.state === 'RESERVED')
    }
    for (const { claims: ids, forgottenAt } of ledger.keys()) {
      const lives = ids.some((id) => claims.some((claim) => claim.id === id && isLive(claim)))
      expect(forgottenAt === null).toBe(lives)
    }
  }

  /**
   * Checks I7: claims are live only on hosts in the fleet. A host that left has no capacity and no instances, and is in no aggregate or
   * group.
   */
  #checkPresence(): void {
    const { hosts, aggregates, groups } = this.fleet
    for (const claim of this.#live()) expect(hosts.get(claim.host).gone).toBeNull()
    expect(hosts.present.map(({ index }) => index)).toEqual([...hosts.presentIndexes])
    expect(hosts.presentCount).toBe(hosts.present.length)
    for (const record of hosts.records) {
      const isThere = record.gone === null
      expect([hosts.find(record) === record, hosts.nodesOf(record.host).includes(record.index)]).toEqual([isThere, isThere])
      if (isThere) continue
      expect(Object.values(actualOf(this.fleet, record).classes)).toEqual([0, 0, 0])
      expect([record.present.size, record.namespaces.size, record.claims.size, record.aggregates.length]).toEqual([0, 0, 0, 0])
      for (const { uuid } of aggregates.byUuid.values()) expect(aggregates.members(uuid)[record.index] ?? 0).toBe(0)
      for (const { members } of groups.byUuid.values()) expect(members.has(record.index)).toBe(false)
    }
  }

  /** Checks I6: live claims satisfy the policies AFFINITY and ANTI_AFFINITY of their groups. */
  #checkGroups(): void {
    for (const [uuid, { policy, maxServerPerHost, members }] of this.fleet.groups.byUuid) {
      const counted = new Map<HostIndex, number>()
      for (const claim of this.#live())
        if (claim.group === uuid && !this.fleet.ledger.isInPlace(claim)) counted.set(claim.host, (counted.get(claim.host) ?? 0) + 1)
      expect(new Map([...members].sort())).toEqual(new Map([...counted].sort()))
      // while an instance moves to another host, the source and the destination claim are both members
      const moving = this.#live().filter(({ group, source }) => group === uuid && source !== null).length
      if (policy === 'AFFINITY') expect(members.size).toBeLessThanOrEqual(1 + moving)
      if (policy === 'ANTI_AFFINITY') for (const count of members.values()) expect(count).toBeLessThanOrEqual(maxServerPerHost ?? 1)
    }
  }

  /** Checks that a discarded overlay leaves the fleet unchanged. */
  #checkOverlay(position: number): void {
    const { fleet } = this
    const [json, columns] = [stored(fleet), columnsOf(fleet)]
    const overlay = openOverlay(fleet)
    const group: GroupBinding = { uuid: aUuid(0x61 + (position % 5)), policy: 'SOFT_AFFINITY', maxServerPerHost: null }
    for (const record of fleet.hosts.records) {
      const grants = grantsOf(fleet, record.index, position)
      if (grants === undefined || !grantsFit(fleet.hosts, record, grants)) continue
      const part: ClaimPart = { claim: 'overlay', instance: null, host: record.host, node: record.node, grants }
      overlay.hold(part, position % 2 === 0 ? group : null)
    }
    overlay.rollback(Math.floor(overlay.size / 2))
    overlay.discard()
    expect(stored(fleet)).toBe(json)
    expect(columnsOf(fleet)).toBe(columns)
  }
}

function run(level: number, steps: readonly Step[], prefix = 0): void {
  const checker = new Checker(level)
  for (let revision = 1; revision <= prefix; revision++) {
    const entry: LogEntry = {
      format: 1,
      id: `p${revision}`,
      writer: 'history',
      basis: checker.fleet.place,
      changes: [],
      revision,
      at: 1_000,
    }
    checker.historian.entries.push(entry)
    checker.fleet.apply(entry)
  }
  checker.fleet.apply(checker.historian.first(checker.fleet))
  for (const [i, step] of steps.entries()) checker.step(step, i)
  checker.end()
}

describe.each([3, FEATURE_LEVEL])(
  'at feature level %i random histories satisfy every invariant, in restored fleets and in fleets that applied the whole log',
  (level) => {
    test.each(byExtent([1], [1, 2, 3], [1, 2, 3, 4, 5, 6, 7, 8]))('seed %i', (seed) => {
      fc.assert(
        fc.property(histories, (steps) => run(level, steps)),
        { seed, numRuns: byExtent(3, 10) },
      )
    })

    test('seed 9, with a log so long that its first positions are forgotten', () => {
      fc.assert(
        fc.property(histories, (steps) => run(level, steps, 2 * PLACE_WINDOW - 5)),
        { seed: 9, numRuns: byExtent(1, 2) },
      )
    })
  },
)
