import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byExtent } from '../../../../../../testing/extent.ts'
import { copyFleet } from '../../../fleet/copy.ts'
import type { Fleet } from '../../../fleet/fleet.ts'
import { builtInProfiles } from '../../../profiles/built-in.ts'
import { FEATURE_LEVEL } from '../../../records/change.ts'
import type { Profile } from '../../../records/profile.ts'
import { contradictionsOf } from '../../../request/contradictions.ts'
import { parseRequestSpec } from '../../../request/parse.ts'
import type { RequestSpec } from '../../../request/request-spec.ts'
import { aClaim, aLog, aReport, aRequest, aUuid } from '../../../testing/index.ts'
import { atOnce } from '../../../values/steps.ts'
import { simulate } from '../../simulate.ts'
import { edit } from '../../testing.ts'
import { whatWouldFit } from '../what-would-fit.ts'

const profile = builtInProfiles.find(({ name }) => name === 'default') as Profile
const isOver = () => false

const fits = (fleet: Fleet, request: RequestSpec): boolean =>
  atOnce(simulate(fleet, { requests: [{ request, count: 1 }], profile, seed: 's', isOver })).failed === 0

/** The options that look for changes of the request alone, at most `maxChanges` in one proposal. */
const requestChanges = (request: RequestSpec, maxChanges: number) => ({
  ...{ request, profile, isOver, kinds: ['REQUEST'] as const, seed: 's' },
  ...{ maxChanges, first: 50, minHosts: 1, maxRuns: 100 },
})

const GIB = 1_024
const hosts = fc.array(
  fc.record({
    gib: fc.integer({ min: 1, max: 8 }),
    vcpus: fc.integer({ min: 1, max: 8 }),
    zone: fc.constantFrom('az1', 'az2'),
    isDisabled: fc.boolean(),
    heldGib: fc.integer({ min: 0, max: 4 }),
    traits: fc.constantFrom<string[]>([], ['FAST']),
  }),
  { minLength: 1, maxLength: 6 },
)
const wishes = fc.record({
  gib: fc.integer({ min: 1, max: 10 }),
  vcpus: fc.integer({ min: 1, max: 9 }),
  zone: fc.constantFrom('az1', null),
  requiredTraits: fc.constantFrom<string[]>([], ['FAST']),
  numInstances: fc.constantFrom(1, 1, 2, 4),
})
type Hosts = typeof hosts extends fc.Arbitrary<infer Value> ? Value : never
type Wish = typeof wishes extends fc.Arbitrary<infer Value> ? Value : never

function fleetOf(shapes: Hosts): Fleet {
  const log = aLog()
  log.append(shapes.map(({ gib, vcpus, traits }, i) => aReport(`h${i}`, { memoryMb: gib * GIB, vcpus, traits })))
  for (const [i, zone] of ['az1', 'az2'].entries()) {
    const members = shapes.flatMap((shape, host) => (shape.zone === zone ? [`h${host}`] : []))
    const next = { name: zone, hosts: members, metadata: { availability_zone: zone } }
    log.append([{ type: 'aggregate', uuid: aUuid(i + 1), expectedVersion: 0, next }])
  }
  for (const [i, { gib, heldGib, isDisabled }] of shapes.entries()) {
    const host = `h${i}`
    if (heldGib > 0 && heldGib <= gib) log.append([aClaim({ key: host, hosts: [host], grants: { classes: { MEMORY_MB: heldGib * GIB } } })])
    if (isDisabled) log.append([{ type: 'status', host, node: host, status: 'DISABLED', reason: 'fan' }])
  }
  return log.fleet
}

const requestOf = ({ gib, vcpus, zone, requiredTraits, numInstances }: Wish): RequestSpec =>
  aRequest({ numInstances, memoryMb: gib * GIB, vcpus, availabilityZone: zone, requestedResources: [{ amounts: [], requiredTraits }] })

test('every single change that suffices is proposed, and amounts are changed as little as possible', () => {
  let refused = 0
  fc.assert(
    fc.property(hosts, wishes, (shapes, wish) => {
      const fleet = fleetOf(shapes)
      const request = requestOf(wish)
      if (fits(fleet, request)) return
      refused++
      const kinds = ['REQUEST', 'FLEET', 'POLICY'] as const
      const { counterfactuals } = atOnce(
        whatWouldFit(fleet, { ...{ request, profile, kinds, isOver }, seed: 's', maxChanges: 1, first: 50, minHosts: 1, maxRuns: 100 }),
      )
      const found = counterfactuals.flatMap(({ changes: [change], edits }) => (change === undefined ? [] : [{ ...change, edits }]))
      const amounts = (subject: string) => found.filter((one) => one.subject === subject).map(({ to }) => Number.parseInt(to, 10))
      const greatest = (most: number, withAmount: (amount: number) => Wish) =>
        Array.from({ length: most - 1 }, (_, i) => most - 1 - i).find((amount) => fits(fleet, requestOf(withAmount(amount)))) ?? 0
      expect(Math.max(0, ...amounts('memory'))).toBeGreaterThanOrEqual(greatest(wish.gib, (gib) => ({ ...wish, gib })) * GIB)
      expect(Math.max(0, ...amounts('vCPUs'))).toBeGreaterThanOrEqual(greatest(wish.vcpus, (vcpus) => ({ ...wish, vcpus })))
      const others = {
        zone: [fits(fleet, requestOf({ ...wish, zone: null })), found.some(({ subject }) => subject === 'availability zone')],
        trait: [fits(fleet, requestOf({ ...wish, requiredTraits: [] })), found.some(({ subject }) => subject === 'trait FAST')],
        enabled: [
          // enabling a host that an operator disabled is proposed only if no change of the request and no waiting suffices
          !found.some(({ kind, waits }) => kind === 'REQUEST' || waits) &&
            shapes.some((shape, i) => shape.isDisabled && fits(edit(copyFleet(fleet), { enableHosts: [`h${i}`] }), request)),
          found.some(({ edits }) => edits.enableHosts.length > 0),
        ],
        released: [
          [...fleet.ledger.claims.keys()].some((id) => fits(edit(copyFleet(fleet), { releaseClaims: [id] }), request)),
          found.some(({ edits }) => edits.releaseClaims.length > 0),
        ],
        added: [
          shapes.some((_, i) => fits(edit(copyFleet(fleet), { addHosts: [{ likeHost: `h${i}` }] }), request)),
          found.some(({ edits }) => edits.addHosts.length > 0),
        ],
      }
      for (const [name, [would, isFound]] of Object.entries(others)) expect([name, isFound]).toEqual([name, would])
    }),
    { numRuns: byExtent(4, 25) },
  )
  expect(refused).toBeGreaterThan(0)
})

test('for four instances that fit on no host, the memory with which all four fit is proposed', () => {
  const log = aLog()
  log.append([2, 5, 6, 5].map((gib, i) => aReport(`h${i}`, { memoryMb: gib * GIB, vcpus: 8 })))
  const request = aRequest({ memoryMb: 8 * GIB, numInstances: 4 })
  const { counterfactuals } = atOnce(whatWouldFit(log.fleet, requestChanges(request, 1)))
  expect(counterfactuals.map(({ changes: [change] }) => [change?.subject, change?.to])).toEqual([['memory', `${3 * GIB} MiB`]])
})

test('a change that does not suffice for all instances is proposed together with fewer instances', () => {
  const log = aLog()
  log.append([aReport('h0', { memoryMb: 8 * GIB, vcpus: 8 }), aReport('h1', { memoryMb: 8 * GIB, vcpus: 8 })])
  const request = aRequest({
    ...{ memoryMb: 6 * GIB, numInstances: 4 },
    requestedResources: [{ amounts: [], requiredTraits: ['FAST'] }],
  })
  const { counterfactuals } = atOnce(whatWouldFit(log.fleet, requestChanges(request, 2)))
  expect(counterfactuals.map(({ changes }) => changes.map(({ subject, to }) => `${subject} ${to}`))).toContainEqual([
    'trait FAST not asked',
    'instances 2',
  ])
})

test('if one of two instances fills the only host, half of the vCPUs is proposed, with which both fit', () => {
  const log = aLog()
  log.append([aReport('h0', { memoryMb: 64 * GIB, vcpus: 8 })])
  const request = aRequest({ vcpus: 8, memoryMb: GIB, numInstances: 2 })
  const { counterfactuals } = atOnce(whatWouldFit(log.fleet, requestChanges(request, 1)))
  expect(counterfactuals.map(({ changes: [change] }) => `${change?.subject} ${change?.to}`)).toEqual(['vCPUs 4', 'instances 1'])
})

test('for a guest with NUMA cells, each proposed request is valid and fits', () => {
  const log = aLog()
  const cells = [0, 1].map((id) => ({ id, cpuset: Array.from({ length: 4 }, (_, i) => 4 * id + i), memoryMb: 4_096 }))
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('h1', { vcpus: 8, memoryMb: 8_192, numaCells: cells })])
  const guest = (cpus: number, memoryMb: number) => ({
    flavor: { vcpus: 2 * cpus, memoryMb: 2 * memoryMb },
    numaTopology: { cells: [0, 1].map((id) => ({ id, cpus: Array.from({ length: cpus }, (_, i) => cpus * id + i), memoryMb })) },
  })
  for (const asks of [guest(5, 300), guest(2, 5_000), { ...guest(2, 3_000), numInstances: 2 }]) {
    const request = aRequest(asks)
    const { counterfactuals } = atOnce(
      whatWouldFit(log.fleet, {
        ...{ request, profile, seed: 's', isOver, kinds: ['REQUEST'], maxChanges: 2, first: 5, minHosts: 1, maxRuns: 100 },
      }),
    )
    expect(counterfactuals.length).toBeGreaterThan(0)
    for (const { request: changed } of counterfactuals) {
      expect(parseRequestSpec(changed).ok && contradictionsOf(changed)).toEqual([])
      expect(fits(log.fleet, changed)).toBe(true)
    }
  }
})
