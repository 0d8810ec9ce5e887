import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { byExtent } from '../../../../testing/extent.ts'
import { proposalsBefore, replay } from '../decision/replay.ts'
import { openOverlay } from '../fleet/overlay.ts'
import { type Profile, type ProfileInput, profileSchema } from '../records/profile.ts'
import { decide } from '../schedulers/decide.ts'
import type { HostShape } from '../testing/fleet.ts'
import { aClaim, aFleet, aLog, aReport, aRequest } from '../testing/index.ts'
import type { Factor, Side } from './cause.ts'
import { type CompareOptions, type Comparison, compareDecisions } from './compare.ts'

const spread = [{ name: 'RAMWeigher', multiplier: 1 }]
const filters = ['ComputeFilter', 'RamFilter', 'CoreFilter'].map((name) => ({ name }))
const aProfile = (parts: Partial<ProfileInput> = {}): Profile =>
  profileSchema.parse({ name: 'p', number: 1, filters, weighers: spread, ...parts })

interface Parts {
  readonly hosts: Readonly<Record<string, HostShape>>
  readonly request: Parameters<typeof aRequest>[0]
  readonly profile: Partial<ProfileInput>
  readonly seed: string
}

const usual: Parts = { hosts: { h1: { memoryMb: 8_192 }, h2: { memoryMb: 4_096 } }, request: {}, profile: {}, seed: 'one' }

/** Makes a decision and returns the decision with all of its inputs. Inputs that are not in `parts` have their usual values. */
function decided(parts: Partial<Parts>): Side {
  const { hosts, request, profile, seed } = { ...usual, ...parts }
  const fleet = aFleet(hosts)
  const made = aProfile(profile)
  const spec = aRequest(request)
  const overlay = openOverlay(fleet)
  const claimIds = Array.from({ length: spec.numInstances }, (_, i) => `c${i}`)
  const input = { id: 'd', request: spec, profile: made, seed, attempt: 1, alternatesPerInstance: 1, allOrNothing: true, claimIds }
  const { record } = decide(fleet, overlay, input)
  overlay.discard()
  return { fleet, before: [], record, profile: made }
}

function compare(first: Side, second: Side, options?: CompareOptions): Comparison {
  const steps = compareDecisions(first, second, options)
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

const seeds = [...'abcdefghij']

const compareParts = (a: Partial<Parts>, b: Partial<Parts>) => compare(decided(a), decided(b))

const full = { vcpus: 16, vcpusUsed: 16 }

describe('the cause of two different decisions', () => {
  test.each<[string, Partial<Parts>, Partial<Parts>, string, string]>([
    ['no difference', {}, {}, 'NONE', 'Both go to h1. Nothing differs.'],
    [
      'a difference without effect',
      {},
      { request: { memoryMb: 2_048 } },
      'NONE',
      'Both go to h1. The requests differ, but that did not change the hosts.',
    ],
    [
      'the request',
      {},
      { request: { memoryMb: 9_000 } },
      'SPEC',
      'The first goes to h1, the second finds no host. The cause is the request: with the request of the second alone, the first finds no host too.',
    ],
    [
      'the profile',
      {},
      { profile: { weighers: [{ name: 'RAMWeigher', multiplier: -1 }] } },
      'PROFILE',
      'The first goes to h1, the second goes to h2. The cause is the profile: with the profile of the second alone, the first goes to h2 too.',
    ],
    [
      'the fleet',
      {},
      { hosts: { ...usual.hosts, h1: { memoryMb: 8_192, ...full } } },
      'FLEET',
      'The first goes to h1, the second goes to h2. The cause is the state of the fleet: with the state of the fleet of the second alone, the first goes to h2 too.',
    ],
    [
      'the fleet, while the request differs too and alone leads to another host',
      {},
      { hosts: { h1: { ...full }, h2: { memoryMb: 4_096 } }, request: { memoryMb: 2_048 } },
      'FLEET',
      'The first goes to h1, the second goes to h2. The cause is the state of the fleet: with the state of the fleet of the second alone, the first goes to h2 too. With the request of the second alone it goes to h1.',
    ],
    [
      'the state of the fleet and the request together',
      {},
      {
        hosts: { h1: { memoryMb: 8_192, memoryMbUsed: 6_000 }, h2: { memoryMb: 8_192, memoryMbUsed: 6_000 } },
        request: { memoryMb: 3_000 },
      },
      'MIXED',
      'The first goes to h1, the second finds no host. The cause is the request and the state of the fleet of the second together: if the first decision takes only some of them from the second, it does not choose the same hosts as the second.',
    ],
    [
      'the state of the fleet or the request alone',
      {},
      { hosts: { h1: full, h2: full }, request: { vcpus: 99 } },
      'MIXED',
      'The first goes to h1, the second finds no host. Each of these alone has this effect: the request; the state of the fleet.',
    ],
  ])('%s', (_name, a, b, cause, text) => {
    const comparison = compareParts(a, b)
    expect(comparison.cause).toBe(cause)
    expect(comparison.text).toBe(text)
  })

  test('a different seed is the cause if only the seed differs', () => {
    const equal = (seed: string): Partial<Parts> => ({ hosts: { h1: {}, h2: {}, h3: {} }, profile: { tieOrder: 'seeded' }, seed })
    const found = seeds.slice(1).map((seed) => compareParts(equal('a'), equal(seed)))
    const other = found.find(({ cause }) => cause !== 'NONE')
    expect(other?.cause).toBe('RANDOM')
    expect(other?.text).toContain('The cause is the seed: with the seed of the second alone, the first goes to h')
  })

  test('earlier proposals of the same entry are part of the state that a decision sees', () => {
    const first = decided({})
    const log = aLog()
    log.append([aReport('h1', usual.hosts.h1), aReport('h2', usual.hosts.h2)])
    const before = proposalsBefore({ changes: [aClaim({ grants: { classes: { MEMORY_MB: 8_000 } } })] }, 1)
    const second: Side = { ...decided({}), fleet: log.fleet, before }
    const comparison = compare(first, second)
    expect(comparison.cause).toBe('FLEET')
    expect(comparison.fleetChanges).toEqual({
      hosts: 1,
      fields: [
        { field: 'instances', hosts: 1 },
        { field: 'ioOps', hosts: 1 },
        { field: 'MEMORY_MB.free', hosts: 1 },
      ],
    })
  })

  test('if a decision moves a claim that its own state lacks, the comparison throws an error that names the claim', () => {
    const first = decided({})
    const second: Side = { ...decided({ hosts: { h2: {} } }), record: { ...first.record, intent: 'COLD_MIGRATE', source: 'gone' } }
    // The second decision moves a claim that does not exist, so it cannot be replayed.
    expect(() => compare(first, second)).toThrow('claim gone is not known')
  })
})

describe('differences between the inputs and the hosts of two decisions', () => {
  test('differences are listed by field, with paths for the request and names for the profile', () => {
    const comparison = compareParts(
      {},
      {
        request: { memoryMb: 2_048, availabilityZone: 'az1' },
        profile: { filters: filters.slice(1), weighers: [{ name: 'RAMWeigher', multiplier: 2 }], hostSubsetSize: 3 },
        hosts: { h1: { memoryMb: 16_384 }, h2: { memoryMb: 4_096, traits: ['HW_A'] }, h3: {} },
      },
    )
    expect(comparison.specChanges).toEqual([
      { field: 'flavor.memoryMb', before: '1024', after: '2048' },
      { field: 'availabilityZone', before: 'null', after: 'az1' },
    ])
    expect(comparison.profileChanges).toEqual([
      { field: 'filters.ComputeFilter', before: '{"options":{},"place":1}', after: null },
      { field: 'filters.RamFilter.place', before: '2', after: '1' },
      { field: 'filters.CoreFilter.place', before: '3', after: '2' },
      { field: 'weighers.RAMWeigher.multiplier', before: '1', after: '2' },
      { field: 'hostSubsetSize', before: '1', after: '3' },
    ])
    expect(comparison.fleetChanges).toEqual({
      hosts: 3,
      fields: [
        { field: 'present', hosts: 1 },
        { field: 'MEMORY_MB.capacity', hosts: 1 },
        { field: 'MEMORY_MB.free', hosts: 1 },
        { field: 'traits', hosts: 1 },
      ],
    })
  })

  test('funnels are compared step by step, and each host with a different outcome has a text that explains it', () => {
    const { flips } = compareParts(
      { hosts: { h1: { memoryMb: 8_192 }, h2: { memoryMb: 4_096 }, h3: full } },
      { hosts: { h1: { memoryMb: 512 }, h2: { memoryMb: 4_096 }, h3: {}, h4: {} } },
    )
    expect(flips.steps.filter(({ filter }) => filter === 'RamFilter' || filter === 'CoreFilter')).toEqual([
      { filter: 'RamFilter', first: { entered: 3, passed: 3 }, second: { entered: 4, passed: 3 } },
      { filter: 'CoreFilter', first: { entered: 3, passed: 2 }, second: { entered: 3, passed: 3 } },
    ])
    expect(flips.count).toBe(4)
    expect(flips.hosts.map(({ host, first, second, because }) => [host, first, second, because])).toEqual([
      ['h1', 'SELECTED', 'FILTERED', 'In the second decision, RamFilter refused it. Memory: 1024 MiB needed, 512 free.'],
      ['h3', 'FILTERED', 'SELECTED', 'In the first decision, CoreFilter refused it. 1 vCPU needed, 0 free.'],
      ['h4', 'UNKNOWN', 'ALTERNATE', 'The host was not known yet at the first decision.'],
      [
        'h2',
        'ALTERNATE',
        'LOST_ON_WEIGHT',
        'rank 2 of 2 in the first, 0.5 against 1 of h1; rank 3 of 3 in the second, 0.0625 against 1 of h3.',
      ],
    ])
  })
})

const host = fc.record({ memoryMb: fc.integer({ min: 1, max: 8 }).map((n) => n * 1_024), vcpusUsed: fc.integer({ min: 0, max: 16 }) })
const parts: { readonly [Name in keyof Parts]: fc.Arbitrary<Parts[Name]> } = {
  hosts: fc.tuple(host, host, host).map(([h1, h2, h3]) => ({ h1, h2, h3 })),
  request: fc.record({
    vcpus: fc.integer({ min: 1, max: 8 }),
    memoryMb: fc.integer({ min: 1, max: 5 }).map((n) => n * 1_024),
    numInstances: fc.integer({ min: 1, max: 2 }),
  }),
  profile: fc.record({
    filters: fc.subarray(filters),
    weighers: fc.constantFrom(spread, [{ name: 'RAMWeigher', multiplier: -1 }], []),
    tieOrder: fc.constantFrom('first-seen' as const, 'seeded' as const),
  }),
  seed: fc.constantFrom(...seeds),
}
const factorOf: Readonly<Record<keyof Parts, Factor>> = { hosts: 'FLEET', request: 'SPEC', profile: 'PROFILE', seed: 'RANDOM' }

test.each(Object.keys(factorOf) as (keyof Parts)[])('if only %s differs between two decisions, no other cause is found', (name) => {
  let different = 0
  fc.assert(
    fc.property(fc.record(parts), parts[name], (all, other) => {
      const [first, second] = [decided(all), decided({ ...all, [name]: other })]
      const { cause, goals, flips } = compare(first, second)
      const isSame = JSON.stringify(goals[0]) === JSON.stringify(goals[1])
      if (!isSame) different++
      expect(cause).toBe(isSame ? 'NONE' : factorOf[name])
      // in each of the two funnels, a step must start with as many hosts as the step before it passed
      for (const which of ['first', 'second'] as const) {
        const counts = flips.steps.flatMap((step) => step[which] ?? []).sort((a, b) => b.entered - a.entered || b.passed - a.passed)
        for (const [i, { entered }] of counts.entries()) expect(entered).toBe(i === 0 ? 3 : counts[i - 1]?.passed)
      }
    }),
    { numRuns: 60, seed: 6 },
  )
  expect(different).toBeGreaterThan(0)
})

test('each reported set of factors makes the first decision choose the hosts of the second, and no smaller set does', () => {
  fc.assert(
    fc.property(fc.record(parts), fc.record(parts), (a, b) => {
      const { cause, sufficient, goals } = compare(decided(a), decided(b))
      if (cause === 'NONE') expect(sufficient).toEqual([])
      const mixed = (taken: readonly Factor[]) => {
        const names = Object.keys(factorOf) as (keyof Parts)[]
        const from = Object.fromEntries(names.map((name) => [name, (taken.includes(factorOf[name]) ? b : a)[name]]))
        return compare(decided(from), decided(b)).goals[0]
      }
      for (const set of sufficient) {
        expect(mixed(set)).toEqual(goals[1])
        for (const left of set) if (set.length > 1) expect(mixed(set.filter((factor) => factor !== left))).not.toEqual(goals[1])
      }
    }),
    { numRuns: byExtent(6, 50), seed: 6 },
  )
})

describe('comparing a decision with a state that is no longer stored', () => {
  /** Replaces the state of a decision by a later state, in which the chosen host is full. */
  const gone = (side: Side): Side => {
    const later = aFleet({ h1: { memoryMb: 8_192, ...full }, h2: { memoryMb: 4_096 } })
    const { answer } = replay(side.fleet, side.before, side.record, side.profile)
    return { ...side, fleet: later, lost: { revision: 7, record: side.record, answer } }
  }

  test('if one state is missing, the cause is unknown, but hosts, funnels and the differences between the requests are reported', () => {
    const [first, second] = [decided({}), decided({ request: { memoryMb: 9_000 } })]
    const comparison = compare(gone(first), second)
    expect(comparison).toMatchObject({ cause: 'UNKNOWN', goals: [['h1'], []], trials: [], sufficient: [], fleetChanges: undefined })
    expect(comparison.specChanges).toEqual([{ field: 'flavor.memoryMb', before: '1024', after: '9000' }])
    expect(comparison.text).toBe(
      'The first goes to h1, the second finds no host. The cause cannot be determined any more: the log no longer contains revision 7, the state on which one of them was decided. The requests differ; whether the states of the fleet differ is not known.',
    )
    // The counts are from the record. In the later state, h1 would not pass.
    expect(comparison.flips.steps.find(({ filter }) => filter === 'RamFilter')).toEqual({
      filter: 'RamFilter',
      first: { entered: 2, passed: 2 },
      second: { entered: 2, passed: 0 },
    })
    expect(comparison.flips.hosts.map(({ host, first: was, second: is }) => [host, was, is])).toEqual([
      ['h1', 'SELECTED', 'FILTERED'],
      ['h2', 'ALTERNATE', 'FILTERED'],
    ])
  })

  test('if both states are missing, the text of a refused host names the later revision on which it was examined', () => {
    const [first, second] = [decided({}), decided({ hosts: { h1: full, h2: { memoryMb: 4_096 } } })]
    const comparison = compare(gone(first), gone(second))
    expect(comparison.cause).toBe('UNKNOWN')
    expect(comparison.text).toContain(
      'the log no longer contains revision 7, the state on which they were decided. Request, profile and seed are the same',
    )
    expect(comparison.flips.hosts.map(({ host, because }) => [host, because])).toEqual([
      ['h1', expect.stringMatching(/^Not in the second decision, but at revision \d+, CoreFilter refused it\. 1 vCPU needed, 0 free\.$/)],
      ['h2', 'rank 2 in the first, 0.5 against 1 of h1; rank 1 in the second with 1.'],
    ])
  })

  test('two decisions with the same hosts are reported as equal, even if their states are no longer stored', () => {
    const { cause, text } = compare(gone(decided({})), gone(decided({})))
    expect([cause, text]).toEqual(['NONE', 'Both go to h1. No known input differs.'])
  })
})
