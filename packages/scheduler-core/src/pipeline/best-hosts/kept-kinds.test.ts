import { afterEach, describe, expect, test, vi } from 'vitest'
import { copyFleet } from '../../fleet/copy.ts'
import { Fleet } from '../../fleet/fleet.ts'
import { openOverlay } from '../../fleet/overlay.ts'
import { HostTable } from '../../hosts/hosts.ts'
import { type Change, FEATURE_LEVEL } from '../../records/change.ts'
import { profileSchema } from '../../records/profile.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import { type Decided, decide } from '../../schedulers/decide.ts'
import { aClaim, aLog, aReport, aRequest, aUuid, type HostShape, type TestLog } from '../../testing/index.ts'
import { STRICT_CLAIMS } from '../../values/levels.ts'
import { classCacheOf } from './class-cache.ts'
import { KeptKinds } from './kept-kinds.ts'

const profile = profileSchema.parse({
  ...{
    name: 'p',
    number: 1,
    filters: ['RamFilter', 'TraitsFilter', 'AggregateInstanceExtraSpecsFilter', 'DifferentHostFilter'].map((name) => ({ name })),
  },
  weighers: [{ name: 'RAMWeigher', multiplier: 1, options: { aggregateMultiplier: true } }],
})

let decisions = 0

function decideOn(fleet: Fleet, request: RequestSpec, isExhaustive = false): Decided {
  const overlay = openOverlay(fleet)
  try {
    const input = { id: 'd', profile, seed: 's', attempt: 1, alternatesPerInstance: 9, allOrNothing: true, claimIds: ['c'] }
    return decide(fleet, overlay, { ...input, request: { ...request, instanceUuids: [aUuid(++decisions)] }, isExhaustive })
  } finally {
    overlay.discard()
  }
}

/** True if a decision has the result of examining every host. */
function isEqual(fleet: Fleet, request: RequestSpec): boolean {
  const [found, examined] = [decideOn(fleet, request), decideOn(fleet, request, true)]
  return (
    JSON.stringify([found.record.instances, found.answer.map(({ selected, alternates }) => [selected, alternates])]) ===
    JSON.stringify([examined.record.instances, examined.answer.map(({ selected, alternates }) => [selected, alternates])])
  )
}

const usedKinds = () => vi.spyOn(KeptKinds.prototype, 'get').mock.results
const kindsUsed = (results: ReturnType<typeof usedKinds>): number => results.filter(({ value }) => value !== undefined).length

afterEach(() => {
  vi.restoreAllMocks()
})

/** A log at a feature level with `count` equal hosts. */
function aLogOf(count: number, shape: HostShape = {}, level = FEATURE_LEVEL): TestLog {
  const log = aLog()
  log.append([{ type: 'feature', level }])
  log.append(Array.from({ length: count }, (_, i) => aReport(`h${i}`, shape)))
  return log
}

const aggregate = (expectedVersion: number, metadata: Readonly<Record<string, string>>): Change => ({
  ...{ type: 'aggregate', uuid: aUuid(1), expectedVersion },
  next: { name: 'a', hosts: ['h0', 'h1'], metadata },
})

interface Situation {
  readonly log: () => TestLog
  readonly request: RequestSpec
  /** After each of these entries, the kind is decided. */
  readonly entries: readonly (readonly Change[])[]
}

const CLASS = 'CUSTOM_FEW'
const strict = { ramAllocationRatio: 4, memoryMb: 16_384 }

/** Situations in which what was prepared for a kind is out of date after an entry. */
const situations: Readonly<Record<string, Situation>> = {
  'a host that no longer reports its traits': {
    log: () => aLogOf(4, { traits: ['CUSTOM_FAST'] }),
    request: aRequest({ flavor: { vcpus: 1, memoryMb: 512, extraSpecs: { 'trait:CUSTOM_SLOW': 'forbidden' } } }),
    entries: [[aReport('h0', { omitted: ['traits'] }, 2)]],
  },
  'the metadata of an aggregate': {
    log() {
      const log = aLogOf(4)
      log.append([aggregate(0, { ssd: 'false' })])
      return log
    },
    request: aRequest({ flavor: { vcpus: 1, memoryMb: 512, extraSpecs: { ssd: 'true' } } }),
    entries: [[aggregate(1, { ssd: 'true' })]],
  },
  'the first multiplier of an aggregate': {
    log: () => aLogOf(4, { memoryMbUsed: 100 }),
    request: aRequest(),
    entries: [[aggregate(0, { ram_weight_multiplier: '-3' }), aReport('h3', { memoryMbUsed: 9_000 }, 2)]],
  },
  'a feature level': {
    log: () => aLogOf(4, strict, STRICT_CLAIMS - 1),
    request: aRequest({ memoryMb: 20_000 }),
    entries: [[{ type: 'feature', level: STRICT_CLAIMS }]],
  },
  'columns that grow': {
    log: () => aLogOf(64),
    request: aRequest(),
    entries: [[aReport('new', { memoryMb: 99_999 })], [aReport('h5', { memoryMbUsed: 65_536 }, 2)]],
  },
  'a resource class that a host has first': {
    log: () => aLogOf(4),
    request: aRequest({ flavor: { vcpus: 1, memoryMb: 512, extraSpecs: { [`resources:${CLASS}`]: '1' } } }),
    entries: [[aReport('h2', { inventories: [{ resourceClass: CLASS, total: 2 }] }, 2)]],
  },
}

const hasEqualDecisions = ({ log, request, entries }: Situation): boolean => {
  const { fleet, append } = log()
  for (let time = 0; time < 3; time++) if (!isEqual(fleet, request)) return false
  return entries.every((changes) => {
    expect(append(changes).every((code) => code === undefined)).toBe(true)
    return isEqual(fleet, request)
  })
}

describe.each(Object.entries(situations))('%s', (_name, situation) => {
  test('decisions prepare their kind again', () => {
    expect(hasEqualDecisions(situation)).toBe(true)
  })

  test('a comparison finds what was prepared before', () => {
    vi.spyOn(HostTable.prototype, 'columnReplacements', 'get').mockReturnValue(0)
    const apply = Fleet.prototype.applyInSteps
    vi.spyOn(Fleet.prototype, 'applyInSteps').mockImplementation(function* (this: Fleet, entry) {
      const before = this.changesBeyondClaims
      const verdicts = yield* apply.call(this, entry)
      this.changesBeyondClaims = before
      return verdicts
    })
    expect(hasEqualDecisions(situation)).toBe(false)
  })
})

test('what was prepared is used while only claims change, and not by decisions that examine every host', () => {
  const log = aLogOf(8)
  const request = aRequest()
  decideOn(log.fleet, request)
  const kept = usedKinds()
  for (let i = 0; i < 5; i++) {
    expect(log.append([aClaim({ key: `k${i}`, hosts: [`h${i}`] })])).toEqual([undefined])
    expect(isEqual(log.fleet, request)).toBe(true)
  }
  expect([kept.length, kindsUsed(kept)]).toEqual([5, 5])
})

test.each<readonly [string, Change]>([
  ['the report of a host', aReport('h1', {}, 2)],
  ['a status', { type: 'status', host: 'h1', node: 'h1', status: 'DISABLED', reason: '' }],
  ['a state of a host', { type: 'liveness', host: 'h1', node: 'h1', state: 'DOWN', reason: '' }],
  ['an aggregate', aggregate(0, {})],
  ['a host that leaves', { type: 'forget', hosts: [{ host: 'h1', node: 'h1' }], isForced: true, reason: '' }],
  ['a profile', { type: 'profile', profile }],
])('nothing that was prepared is used after %s', (_what, change) => {
  const log = aLogOf(8)
  const request = aRequest()
  decideOn(log.fleet, request)
  const kept = usedKinds()
  log.append([change])
  decideOn(log.fleet, request)
  decideOn(log.fleet, request)
  expect(kept.map(({ value }) => value !== undefined)).toEqual([false, true])
})

test('members of groups, spreads, named hosts and copies of a fleet share nothing that was prepared', () => {
  const { fleet } = aLogOf(8)
  const kept = usedKinds()
  const requests = [
    aRequest({ instanceGroup: { uuid: aUuid(1), policy: 'ANTI_AFFINITY' } }),
    aRequest({ instanceGroup: { uuid: aUuid(1), policy: 'SOFT_AFFINITY' }, topologySpread: [{ topologyKey: 'zone', maxSkew: 1 }] }),
    aRequest({ ignoreHosts: ['h1'] }),
    aRequest({ schedulerHints: { different_host: [aUuid(5)] } }),
  ]
  for (const request of requests) for (let i = 0; i < 3; i++) decideOn(fleet, request)
  decideOn(fleet, aRequest())
  decideOn(copyFleet(fleet), aRequest())
  expect(kindsUsed(kept)).toBe(0)
})

test('requests with another field are another kind', () => {
  const { fleet } = aLogOf(8)
  const first = aRequest()
  decideOn(fleet, first)
  const kept = usedKinds()
  // the last two share the flavor of the first, by which the key of a kind is found
  const sharing = [
    { ...first, projectId: 'p3' },
    { ...first, isBfv: true },
  ]
  for (const request of [aRequest({ memoryMb: 512 }), aRequest({ projectId: 'p2' }), aRequest({ numInstances: 2 }), ...sharing])
    decideOn(fleet, request)
  expect(kindsUsed(kept)).toBe(0)
})

test('endless kinds of requests keep a bounded number of kinds in memory', () => {
  const { fleet } = aLogOf(2)
  const kinds = 1_200
  for (let kind = 0; kind < kinds; kind++) decideOn(fleet, aRequest({ memoryMb: 512 + kind }))
  expect(classCacheOf(fleet).kinds.size).toBeLessThan(kinds)
  expect(classCacheOf(fleet).kinds.size).toBeGreaterThan(kinds / 4)
})
