import { describe, expect, test } from 'vitest'
import { audit } from '../../audit/audit.ts'
import { Fleet } from '../../fleet/fleet.ts'
import { openOverlay } from '../../fleet/overlay.ts'
import { builtInProfiles } from '../../profiles/built-in.ts'
import type { Grants } from '../../records/change.ts'
import type { Profile } from '../../records/profile.ts'
import { decide } from '../../schedulers/decide.ts'
import { aClaim, aLog, aReport, aRequest, aUuid, type HostShape, type TestLog } from '../../testing/index.ts'

/** These tests check that memory outside of huge pages is not allocated twice, whatever use of memory and huge pages the host reports. */

type Asks = Parameters<typeof aRequest>[0]

const firstFit = builtInProfiles.find(({ name }) => name === 'first-fit') as Profile
const small = { sizeKib: 4, total: 524_288 }
const cell = { id: 0, cpuset: [0, 1, 2, 3, 4, 5, 6, 7], memoryMb: 4_096 }

/**
 * A report of a host with 4 GiB. Half of the memory is huge pages, all of them in use. `memoryMb` and `inCell` are the used memory in MiB.
 */
const using = (memoryMb: number, inCell: number | null = memoryMb, instances?: readonly string[]): HostShape => ({
  vcpus: 8,
  memoryMb: 4_096,
  memoryMbUsed: memoryMb,
  ...(instances !== undefined && { instances: [...instances] }),
  numaCells: [{ ...cell, memoryUsageMb: inCell, pages: [small, { sizeKib: 2_048, total: 1_024, used: 1_024 }] }],
})

const plain = (memoryMb: number): Asks => ({ vcpus: 1, memoryMb })
const inCell = (memoryMb: number, more: object = {}): Asks => ({
  ...{ vcpus: 1, memoryMb },
  numaTopology: { cells: [{ id: 0, cpus: [0], memoryMb, ...more }] },
})
const inHugePages = (memoryMb: number): Asks => inCell(memoryMb, { pageSize: 2_048 })

function aHost(shape: HostShape, level = 10): TestLog {
  const log = aLog(new Fleet())
  log.append([{ type: 'feature', level }, aReport('h1', shape)])
  return log
}

function granted({ fleet }: TestLog, asks: Asks): Grants | null {
  const overlay = openOverlay(fleet)
  try {
    const asked = { id: 'd', seed: 's', attempt: 1, alternatesPerInstance: 0, allOrNothing: true, claimIds: ['c'] }
    return decide(fleet, overlay, { ...asked, request: aRequest(asks), profile: firstFit }).parts[0]?.grants ?? null
  } finally {
    overlay.discard()
  }
}

const grantsOf = ({ memoryMb, numaTopology }: { memoryMb?: unknown; numaTopology?: unknown }): Grants => ({
  classes: { VCPU: 1, MEMORY_MB: memoryMb as number },
  ...(numaTopology !== undefined && { numa: [{ guest: 0, cell: 0, cpus: 1, memoryMb: memoryMb as number }] }),
})

/** Makes a claim. Returns true if the claim fits. The decision and the judge must agree about this. */
function claims(log: TestLog, key: string, asks: Asks): boolean {
  const grants = granted(log, asks)
  const change = aClaim({ key, mode: 'CONFIRM', grants: grants ?? grantsOf(asks as object), instances: [aUuid(key.charCodeAt(0))] })
  expect(log.append([change], { at: log.fleet.now + 1_000 })).toEqual([grants === null ? 'claim.no_room' : undefined])
  return grants !== null
}

const findingsOf = (fleet: Fleet) => [...audit(fleet)].flatMap(({ findings }) => findings)

describe.each<[name: string, instances: readonly string[] | undefined]>([
  ['a host with an empty list of instances', []],
  ['a host without a list of instances', undefined],
])('%s', (_name, instances) => {
  describe.each<[used: string, memoryMb: number, inCell: number | null, left: number]>([
    ['less memory in use than huge pages', 0, 0, 2_048],
    ['no memory in use, and nothing about the memory of its cell', 0, null, 2_048],
    ['memory in use with a part of the huge pages', 1_024, 1_024, 2_048],
    ['as much memory in use as huge pages', 2_048, 2_048, 2_048],
    ['more memory in use than huge pages', 2_560, 2_560, 1_536],
  ])('reports %s', (_used, memoryMb, ofCell, left) => {
    test.each<[order: string, first: (mib: number) => Asks, second: (mib: number) => Asks]>([
      ['no cells', plain, plain],
      ['a cell, then none', inCell, plain],
      ['a guest without cells, then a guest with a cell', plain, inCell],
      ['cells', inCell, inCell],
    ])('%s: plain memory is allocated only once', (_order, first, second) => {
      const log = aHost(using(memoryMb, ofCell, instances))
      expect([claims(log, 'a', first(left - 64)), claims(log, 'b', second(65)), claims(log, 'c', second(64))]).toEqual([true, false, true])
      expect(claims(log, 'd', first(1))).toBe(false)
      expect(findingsOf(log.fleet)).toEqual([])
    })
  })
})

describe('instances that the report lists', () => {
  /** The free plain memory in MiB after the host reports an instance with a claim. */
  function leftAfter(asks: Asks, report: (uuid: string) => HostShape, ask: (mib: number) => Asks): number {
    const before = { ...using(0, 0, []), numaCells: [{ ...cell, pages: [small, { sizeKib: 2_048, total: 1_024 }] }] }
    const log = aHost(before)
    expect(claims(log, 'a', asks)).toBe(true)
    log.append([aReport('h1', report(aUuid('a'.charCodeAt(0))), 2)], { at: log.fleet.now + 1_000 })
    let left = 0
    for (let mib = 2_048; mib >= 1; mib /= 2) if (granted(log, ask(left + mib)) !== null) left += mib
    return left
  }

  test.each<[name: string, asks: Asks, memoryMb: number, inCell: number | null, left: number]>([
    ['hold plain memory that the report does not show', inCell(512), 0, 0, 1_536],
    ['hold plain memory, and the report shows only huge pages', inCell(512), 2_048, 2_048, 1_536],
    ['hold plain memory that the report shows', inCell(512), 2_560, 2_560, 1_536],
    ['hold huge pages that the memory in use includes', inHugePages(2_048), 2_048, 2_048, 2_048],
    ['hold huge pages that the memory in use does not include', inHugePages(2_048), 0, 0, 2_048],
    ['hold huge pages of a cell without a report of its memory', inHugePages(2_048), 0, null, 2_048],
  ])('%s', (_name, asks, memoryMb, ofCell, left) => {
    for (const ask of [plain, inCell]) expect(leftAfter(asks, (uuid) => using(memoryMb, ofCell, [uuid]), ask)).toBe(left)
  })
})

test('the auditor finds claims that were accepted below the feature level', () => {
  const log = aHost(using(0, 0, []), 9)
  expect([claims(log, 'a', plain(2_048)), claims(log, 'b', plain(64))]).toEqual([true, true])
  log.append([{ type: 'feature', level: 10 }], { at: log.fleet.now + 1_000 })
  log.fleet.strictSince = 0
  expect(findingsOf(log.fleet)).toMatchObject([
    { code: 'state.over_capacity', field: 'memory outside of huge pages', expected: '2048', actual: '2112', claim: 'b.0' },
  ])
})
