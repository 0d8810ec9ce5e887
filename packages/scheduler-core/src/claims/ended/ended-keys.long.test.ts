import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { byExtent } from '../../../../../testing/extent.ts'
import { audit } from '../../audit/audit.ts'
import { compareFleets } from '../../audit/diff.ts'
import { checkpointOf, restoreFleet } from '../../fleet/checkpoint.ts'
import { copyFleet } from '../../fleet/copy.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import type { Change } from '../../records/change.ts'
import { aLog, aReport, aUuid, someInstances, type TestLog } from '../../testing/index.ts'
import { canonicalJson } from '../../values/canonical-json.ts'
import { EndedChunk } from './ended-chunk.ts'
import { CHUNK, EndedKeys } from './ended-keys.ts'
import { readEnded, writeEnded } from './ended-record.ts'
import { HashIndex } from './hash-index.ts'

const HOUR = 3_600_000
const X = aUuid(1)

function aHost(): TestLog {
  const log = aLog()
  log.append([{ type: 'feature', level: 8 }, aReport('h1', { vcpus: 1_000, memoryMb: 1_000_000 })])
  return log
}

const again = (fleet: Fleet): Fleet => restoreFleet(JSON.parse(JSON.stringify(checkpointOf(fleet))))
const release = ({ fleet }: TestLog, id: string): Change => ({
  type: 'release',
  claim: id,
  fence: fleet.ledger.claims.get(id)?.fence ?? 0,
  reason: null,
})
const findings = (fleet: Fleet) => [...audit(fleet)].flatMap((one) => one.findings)

describe('an ended key', () => {
  test('reading all claims of an ended key unpacks the key only once', () => {
    const log = aHost()
    log.append([someInstances({ key: 'k', hosts: ['h1', 'h1'], instances: [X, null], project: 'p' })])
    log.append([release(log, 'k.0'), release(log, 'k.1')], { at: 5_000 })
    const { claims } = log.fleet.ledger
    const [first, second] = [claims.get('k.0'), claims.get('k.1')]
    expect([first?.state, second?.state]).toEqual(['RELEASED', 'RELEASED'])
    expect([claims.get('k.0') === first, claims.get('k.1') === second]).toEqual([true, true])
  })

  test('an ended key returns the same answer and claims as before its end; so it does in a copy and in a restored fleet', () => {
    const log = aHost()
    log.append([someInstances({ key: 'k', hosts: ['h1', 'h1'], instances: [X, null], project: 'p' })])
    const before = log.fleet.ledger.findKey('acme', 'k')
    const claims = ['k.0', 'k.1'].map((id) => log.fleet.ledger.claims.get(id))
    log.append([release(log, 'k.0'), release(log, 'k.1')], { at: 5_000 })
    expect([...log.fleet.ledger.claimsInFull.keys()]).toEqual([])
    for (const fleet of [log.fleet, copyFleet(log.fleet), again(log.fleet)]) {
      expect(fleet.ledger.findKey('acme', 'k')).toEqual({ ...before, forgottenAt: 5_000 + HOUR })
      for (const claim of claims) {
        const ended = { ...claim, state: 'RELEASED', endedAt: 5_000, expiresAt: claim?.expiresAt, revision: 3 }
        expect({ ...fleet.ledger.claims.get(claim?.id ?? '') }).toEqual(Object.fromEntries(Object.entries(ended)))
      }
      expect([fleet.ledger.claims.size, fleet.ledger.keyCount, fleet.ledger.endedKeyCount]).toEqual([2, 1, 1])
      expect(findings(fleet)).toEqual([])
    }
    expect([...compareFleets(log.fleet, again(log.fleet))].flat()).toEqual([])
  })

  test('the auditor unpacks an ended key once, regardless of its number of claims', () => {
    const find = vi.spyOn(EndedKeys.prototype, 'find')
    const list = vi.spyOn(Array.prototype, 'includes')
    try {
      const [few, many] = [3, 60].map((count) => {
        const log = aHost()
        const ids = Array.from({ length: count }, (_, i) => `k.${i}`)
        const instances = ids.map((_, i) => aUuid(i + 1))
        log.append([someInstances({ key: 'k', ids, hosts: ids.map(() => 'h1'), instances, grants: {} })])
        // the auditor does not search the claim list of a key once for each live claim
        list.mockClear()
        expect(findings(log.fleet)).toEqual([])
        expect(list.mock.contexts.filter((listed) => (listed as unknown[]).length === count)).toEqual([])
        log.append(ids.map((id) => release(log, id)))
        find.mockClear()
        expect(findings(log.fleet)).toEqual([])
        return find.mock.calls.length
      })
      expect(many).toBe(few)
    } finally {
      find.mockRestore()
      list.mockRestore()
    }
  })

  test('an ended key is forgotten with its claims by the first entry after its retention time', () => {
    const log = aHost()
    log.append([someInstances({ key: 'k' })])
    log.append([release(log, 'k.0')])
    log.append([], { at: 1_000 + HOUR - 1 })
    expect(log.append([someInstances({ key: 'k', ids: ['other'] })])).toEqual(['claim.key_used'])
    log.append([], { at: 1_000 + HOUR })
    expect([log.fleet.ledger.claims.size, log.fleet.ledger.keyCount, log.fleet.ledger.endedKeyCount]).toEqual([0, 0, 0])
    expect(log.append([someInstances({ key: 'k', ids: ['other'] })])).toEqual([undefined])
  })

  test('the claim of an ended key stays on its host until a report no longer lists the instance, and the key keeps its answer for an hour', () => {
    const log = aHost()
    log.append([someInstances({ key: 'k', instances: [X] })])
    log.append([aReport('h1', { vcpus: 1_000, memoryMb: 1_000_000, instances: [X] }, 2)])
    log.append([release(log, 'k.0')])
    for (const fleet of [log.fleet, again(log.fleet)]) {
      expect([fleet.ledger.claims.size, [...fleet.ledger.claimsInFull.keys()]]).toEqual([1, ['k.0']])
      expect([...(fleet.hosts.records[0]?.claims ?? [])].map(({ id }) => id)).toEqual(['k.0'])
      expect(findings(fleet)).toEqual([])
    }
    const late = copyFleet(log.fleet)
    log.append([aReport('h1', { vcpus: 1_000, memoryMb: 1_000_000, instances: [] }, 3)])
    expect([log.fleet.ledger.claims.size, [...log.fleet.ledger.claimsInFull.keys()]]).toEqual([1, []])
    // If the retention time of the key ends before the instance leaves the host, only the key is forgotten. The claim is forgotten when the
    // instance leaves.
    late.apply({ format: 1, id: 'x', writer: 'w', basis: late.place, changes: [], revision: late.place.revision + 1, at: 1_000 + HOUR })
    expect([late.ledger.claims.size, late.ledger.keyCount]).toEqual([1, 0])
    expect(findings(late)).toEqual([])
  })
})

test('a record with any content is read as it was written', () => {
  const { fleet } = aHost()
  const text = fc.oneof(
    fc.string({ maxLength: 40, unit: 'binary' }),
    fc.uuid(),
    fc.constantFrom('VCPU', 'moved', 'a'.repeat(64), '0'.repeat(64)),
  )
  const nullable = fc.option(text, { nil: null })
  const whole = fc.nat({ max: 2 ** 40 })
  const time = fc.option(whole, { nil: null })
  const json = fc
    .jsonValue({ maxDepth: 3, noUnicodeString: false })
    .filter((value) => JSON.stringify(value) === JSON.stringify(JSON.parse(JSON.stringify(value))))
  const destination = fc
    .record({
      name: fc.constantFrom('h1', 'gone'),
      weight: fc.double({ noNaN: true }),
      limits: fc.dictionary(fc.constantFrom('VCPU', 'CUSTOM_X'), whole),
    })
    .map(({ name, ...rest }) => ({ host: name, node: name, ...rest }))
  const claim = fc.record({
    ...{
      id: text,
      instance: nullable,
      project: nullable,
      instanceAccount: nullable,
      grants: fc.dictionary(fc.constantFrom('classes', 'numa', 'other'), json),
    },
    ...{
      group: nullable,
      decision: text,
      fence: whole,
      createdAt: whole,
      state: fc.constantFrom('RELEASED', 'EXPIRED', 'REVOKED'),
      expiresAt: time,
    },
    ...{ confirmedAt: time, endedAt: time, reason: nullable, revision: whole },
  })
  const ended = fc.record({
    bound: fc.record({
      ...{ account: text, key: text, digest: text, decision: nullable, revision: whole, boundAt: whole },
      answer: fc.option(
        fc.array(fc.record({ instance: nullable, selected: destination, alternates: fc.array(destination, { maxLength: 2 }) }), {
          maxLength: 2,
        }),
        { nil: null },
      ),
    }),
    endedAt: whole,
    claims: fc.array(claim, { maxLength: 3 }),
  })
  fc.assert(
    fc.property(ended, ({ bound, endedAt, claims }) => {
      const decision = bound.decision ?? ''
      const whole = claims.map((one) => ({
        ...{
          ...one,
          account: bound.account,
          key: bound.key,
          host: 0,
          untilCounted: null,
          heldUntil: null,
          source: null,
          target: null,
          extra: null,
          extraSince: null,
          unlistedAt: null,
        },
        decision: one.decision === decision ? decision : one.decision,
      }))
      const given = { bound, endedAt, claims: whole } as unknown as Parameters<typeof writeEnded>[1]
      expect(readEnded(fleet.hosts, writeEnded(fleet.hosts, given))).toEqual(given)
    }),
    { seed: 8, numRuns: byExtent(60, 60, 300) },
  )
})

test('a stored chunk is read unchanged, and a truncated chunk is refused', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 8 }), (records) => {
      const stored = JSON.parse(JSON.stringify(EndedChunk.of(records)))
      expect([...EndedChunk.from(stored).records()].map((bytes) => [...bytes])).toEqual(records.map((bytes) => [...bytes]))
      if (records.some(({ length }) => length > 4)) expect(() => EndedChunk.from(stored.slice(0, -8))).toThrow(RangeError)
    }),
    { seed: 8 },
  )
})

test('an index finds its entries, a copy finds the entries added before the copy, and record indexes can exceed 32 bits', () => {
  const index = new HashIndex()
  const far = 2 ** 32 - 500
  for (let i = 0; i < 5_000; i++) index.add(`text ${i}`, far + i)
  const copy = index.copy()
  for (let i = 0; i < 5_000; i += 2) index.remove(`text ${i}`, far + i)
  index.add('text 0', 7)
  for (let i = 1; i < 5_000; i++) {
    expect([...index.find(`text ${i}`)]).toEqual(i % 2 === 0 ? [] : [(far + i) % 2 ** 32])
    expect([...copy.find(`text ${i}`)]).toEqual([(far + i) % 2 ** 32])
  }
  expect([[...index.find('text 0')], [...copy.find('text 0')]]).toEqual([[7], [far]])
})

test('ended keys are found and forgotten across several chunks, with the same result in a restored fleet', () => {
  const log = aHost()
  const each = 500
  let fleet = log.fleet
  for (let round = 0; round < 8; round++) {
    const keys = Array.from({ length: each }, (_, i) => `k${round * each + i}`)
    log.append(
      keys.map((key) => someInstances({ key, grants: { classes: { VCPU: 1 } } })),
      { at: 1_000 + round * 1_000 },
    )
    if (fleet !== log.fleet) fleet.apply(log.entries.at(-1) as (typeof log.entries)[number])
    log.append(keys.map((key) => release(log, `${key}.0`)))
    if (fleet !== log.fleet) fleet.apply(log.entries.at(-1) as (typeof log.entries)[number])
    if (round === 4) fleet = again(log.fleet)
  }
  expect(8 * each).toBeGreaterThan(3 * CHUNK)
  expect([log.fleet.ledger.keyCount, log.fleet.ledger.claimsInFull.size]).toEqual([8 * each, 0])
  for (let round = 0; round < 8; round++) {
    log.append([], { at: 1_000 + round * 1_000 + HOUR })
    fleet.apply(log.entries.at(-1) as (typeof log.entries)[number])
    const left = 8 * each - (round + 1) * each
    for (const one of [log.fleet, fleet, again(log.fleet)]) {
      expect([one.ledger.keyCount, one.ledger.claims.size, [...one.ledger.keys()].length]).toEqual([left, left, left])
      expect(one.ledger.findKey('acme', `k${(round + 1) * each - 1}`)).toBeUndefined()
      if (left > 0) expect(one.ledger.findKey('acme', `k${(round + 1) * each}`)?.claims).toEqual([`k${(round + 1) * each}.0`])
    }
    expect(canonicalJson(checkpointOf(fleet))).toBe(canonicalJson(checkpointOf(log.fleet)))
  }
})
