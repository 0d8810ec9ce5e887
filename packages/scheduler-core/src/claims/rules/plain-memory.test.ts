import { describe, expect, test } from 'vitest'
import { prepareChecks } from '../../examine/examine.ts'
import { Fleet } from '../../fleet/fleet.ts'
import { openOverlay } from '../../fleet/overlay.ts'
import { builtInProfiles } from '../../profiles/built-in.ts'
import type { Grants } from '../../records/change.ts'
import type { Claim } from '../../records/claim.ts'
import type { Profile } from '../../records/profile.ts'
import { decide } from '../../schedulers/decide.ts'
import { aClaim, aLog, aMove, aReport, aRequest, aUuid, type HostShape, type TestLog } from '../../testing/index.ts'

/** These tests check that memory outside of huge pages is not allocated twice. Guests with and without NUMA cells use the same memory. */

type Asks = Parameters<typeof aRequest>[0]

const firstFit = builtInProfiles.find(({ name }) => name === 'first-fit') as Profile
const small = { sizeKib: 4, total: 1_048_576 }
const huge = { sizeKib: 2_048, total: 2_048 }
const cell = { id: 0, cpuset: [0, 1, 2, 3, 4, 5, 6, 7], memoryMb: 8_192, pages: [small, huge] }
/** A host with 8 GiB. Half of the memory is huge pages. */
const host: HostShape = { vcpus: 8, memoryMb: 8_192, numaCells: [cell] }

const plain = (memoryMb: number): Asks => ({ vcpus: 1, memoryMb })
const inCells = (memoryMb: number, more: object = {}, ids = [0]): Asks => ({
  ...{ vcpus: ids.length, memoryMb: memoryMb * ids.length },
  numaTopology: { cells: ids.map((id) => ({ id, cpus: [id], memoryMb, ...more })) },
})
const inHugePages = (memoryMb: number): Asks => inCells(memoryMb, { pageSize: 2_048 })

function aHost(shape: HostShape = host, level = 10): TestLog {
  const log = aLog(new Fleet())
  log.append([{ type: 'feature', level }, aReport('h1', shape)])
  return log
}

/** The grants for the request on the host, as a decision determines them. Null if the host is refused. */
function granted({ fleet }: TestLog, asks: Asks, source?: Claim): Grants | null {
  const overlay = openOverlay(fleet)
  try {
    const asked = { id: 'd', seed: 's', attempt: 1, alternatesPerInstance: 0, allOrNothing: true, claimIds: ['c'] }
    const request = aRequest({ ...asks, ...(source !== undefined && { instanceUuids: [source.instance as string] }) })
    const move = source === undefined ? {} : ({ intent: 'RESIZE', source } as const)
    return decide(fleet, overlay, { ...asked, request, profile: firstFit, ...move }).parts[0]?.grants ?? null
  } finally {
    overlay.discard()
  }
}

/** Makes a claim. Returns false if no decision for the request is possible. The judge must accept every decided claim. */
function claims(log: TestLog, key: string, asks: Asks): boolean {
  const grants = granted(log, asks)
  if (grants === null) return false
  expect(log.append([aClaim({ key, mode: 'CONFIRM', grants, instances: [aUuid(key.charCodeAt(0))] })])).toEqual([undefined])
  return true
}

/** The reasons of all filters that refuse the host. */
const whyNot = ({ fleet }: TestLog, asks: Asks) =>
  prepareChecks(fleet, aRequest(asks), firstFit)
    .checksOf(0 as never, true)
    .flatMap(({ reason, facts = [] }) => (reason === undefined ? [] : [{ ...reason, facts: facts.length }]))

const judged = (log: TestLog, grants: Grants) => log.append([aClaim({ key: 'judged', grants })])[0]

/** Begins to resize the claim `a` on its host. Returns false if the decision refuses the resize. */
function resizes(log: TestLog, asks: Asks): boolean {
  const claim = log.fleet.ledger.claims.get('a.0') as Claim
  const { id, fence, instance } = claim
  const grants = granted(log, asks, claim)
  if (grants === null) return false
  const change = aMove({ source: { claim: id, fence }, intent: 'RESIZE', key: 'm', hosts: ['h1'], instances: [instance], grants })
  expect(log.append([change])).toEqual([undefined])
  return true
}

describe('while an instance moves from huge pages to other memory on its host', () => {
  test.each<[name: string, had: Asks, next: Asks]>([
    ['to no cells', inHugePages(2_048), plain(2_048)],
    ['to a cell without pages', inHugePages(2_048), inCells(2_048)],
    ['for a part of its pages', inHugePages(2_048), { ...inHugePages(1_024), memoryMb: 3_072 }],
  ])('%s, both the old and the new memory are held', (_name, had, next) => {
    const log = aHost()
    expect([claims(log, 'a', had), resizes(log, next)]).toEqual([true, true])
    expect([claims(log, 'b', plain(4_096)), claims(log, 'c', plain(2_048))]).toEqual([false, true])
    expect(claims(log, 'd', plain(1))).toBe(false)
  })

  test('an instance that keeps its pages takes only the additional memory', () => {
    const log = aHost()
    expect([claims(log, 'a', inHugePages(2_048)), resizes(log, { ...inHugePages(2_048), memoryMb: 3_072 })]).toEqual([true, true])
    expect([claims(log, 'b', plain(3_073)), claims(log, 'b', plain(3_072))]).toEqual([false, true])
  })

  test('an instance that changes from cells without pages to no cells takes only the difference', () => {
    const log = aHost()
    expect([claims(log, 'a', inCells(3_072)), resizes(log, plain(3_584))]).toEqual([true, true])
    expect([claims(log, 'b', plain(513)), claims(log, 'b', plain(512))]).toEqual([false, true])
  })
})

describe('guests with cells and guests without share the same plain memory', () => {
  const anyPages = (memoryMb: number) => inCells(memoryMb, { pageSize: 'any' })

  test.each<[name: string, first: Asks, second: Asks, isBoth: boolean]>([
    ['a guest without cells, then one with a cell', plain(4_096), inCells(1), false],
    ['a guest with a cell, then one without cells', inCells(4_096), plain(1), false],
    ['a guest without cells, then one with a cell, both within the total', plain(1_024), inCells(3_072), true],
    ['a guest without cells, then one with a cell of small pages', plain(4_096), inCells(1, { pageSize: 'small' }), false],
    ['a guest without cells, then one with a cell of pages of 4 KiB', plain(4_096), inCells(1, { pageSize: 4 }), false],
    ['a guest without cells, then one with a cell of any page size, too small for huge pages', plain(4_096), anyPages(1), false],
    ['a guest without cells, then one with a cell of any page size, which gets huge pages', plain(4_096), anyPages(2), true],
    ['a guest without cells, then one in huge pages', plain(4_096), inHugePages(4_096), true],
    ['a guest in huge pages, then one without cells', inHugePages(4_096), plain(4_096), true],
    ['a guest without cells, then one with huge pages and other memory', plain(4_096), { ...inHugePages(1_024), memoryMb: 1_025 }, false],
    ['a guest without cells, then one with any page size and other memory', plain(3_072), { ...anyPages(1_024), memoryMb: 2_048 }, true],
  ])('%s', (_name, first, second, isBoth) => {
    const log = aHost()
    expect([claims(log, 'a', first), claims(log, 'b', second)]).toEqual([true, isBoth])
  })

  test('the plain memory of a host is the sum of its cells', () => {
    const second = { ...cell, id: 1, cpuset: [8, 9, 10, 11, 12, 13, 14, 15] }
    const log = aHost({ vcpus: 16, memoryMb: 16_384, numaCells: [cell, second] })
    expect([claims(log, 'a', plain(4_096)), claims(log, 'b', inCells(3_072))]).toEqual([true, true])
    expect([claims(log, 'c', inCells(1_024, {}, [0, 1])), claims(log, 'c', inCells(512, {}, [0, 1]))]).toEqual([false, true])
    expect(claims(log, 'd', inCells(1))).toBe(false)
  })

  test('the judge refuses a claim that was decided before another claim took the memory', () => {
    const log = aHost()
    const grants = granted(log, inCells(1)) as Grants
    const pages = granted(log, inCells(1, { pageSize: 4 })) as Grants
    expect(claims(log, 'a', plain(4_096))).toBe(true)
    expect([judged(log, grants), judged(log, pages)]).toEqual(['claim.no_room', 'claim.no_room'])
  })

  test('below feature level 10 guests with and without cells are counted separately', () => {
    const log = aHost(host, 9)
    expect([claims(log, 'a', plain(4_096)), claims(log, 'b', inCells(3_072))]).toEqual([true, true])
  })

  test('if the host has less plain memory than is allocated, a guest can be resized to less memory, and no other guest gets any', () => {
    const log = aHost()
    expect([claims(log, 'a', inCells(3_072)), claims(log, 'b', plain(1_024))]).toEqual([true, true])
    const fewer = {
      ...cell,
      pages: [
        { ...small, total: 524_288 },
        { ...huge, total: 3_072 },
      ],
    }
    log.append([aReport('h1', { ...host, numaCells: [fewer] }, 2)])
    expect([claims(log, 'c', plain(1)), resizes(log, inCells(2_048))]).toEqual([false, true])
  })

  test('the reason of a refusal has the remaining plain memory', () => {
    const log = aHost()
    claims(log, 'a', plain(4_000))
    const [asked, small] = [inCells(97), inCells(97, { pageSize: 'small' })]
    expect([...whyNot(log, asked), ...whyNot(log, small)]).toMatchObject([
      { code: 'memory.huge_pages', need: 97, have: 96, facts: 1 },
      { code: 'memory.huge_pages', need: 97, have: 96, facts: 1 },
    ])
  })
})
