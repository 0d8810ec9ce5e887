import { type Claim, type ClaimState, FEATURE_LEVEL, type Fleet, isLive } from '@gantt/scheduler-core'
import { aClaim, aLog, aReport, aUuid } from '@gantt/scheduler-core/testing'
import { expect, test, vi } from 'vitest'
import { listOf } from '../calls/paging.ts'
import { pageOfAllClaims } from './claim-pages.ts'

const CLAIMS = 40
const list = listOf('claims')

/** A fleet in which every third claim is live. The other claims ended in an order that differs from the order of their creation. */
function fleetWithEnded(): Fleet {
  const log = aLog()
  log.append([{ type: 'feature', level: FEATURE_LEVEL }])
  log.append([aReport('h1', { vcpus: CLAIMS })])
  for (let i = 0; i < CLAIMS; i++) {
    const grants = { classes: { VCPU: 1 } }
    log.append([aClaim({ key: `k${i}`, ids: [`c${i}`], hosts: ['h1'], instances: [aUuid(i + 1)], grants, mode: 'CONFIRM' })])
  }
  for (let i = CLAIMS - 1; i >= 0; i--) {
    const fence = log.fleet.ledger.claims.get(`c${i}`)?.fence ?? 0
    if (i % 3 !== 0) log.append([{ type: 'release', claim: `c${i}`, fence, reason: null }])
  }
  return log.fleet
}

/** Reads all pages of this size, one after the other. */
async function allPages(fleet: Fleet, first: number, states?: readonly ClaimState[], isAsked: (claim: Claim) => boolean = () => true) {
  const found: string[] = []
  const counts = new Set<number>()
  for (let after: string | null = null; ; ) {
    const page = await pageOfAllClaims(list, { first, after, states }, fleet, isAsked)
    expect(page.hasPreviousPage).toBe(found.length > 0)
    expect(page.edges.length).toBeLessThanOrEqual(first)
    found.push(...page.edges.map(({ node }) => node.id))
    counts.add(await page.totalCount())
    if (!page.hasNextPage) return { found, counts: [...counts] }
    after = page.edges.at(-1)?.cursor ?? null
  }
}

const named = (isIn: (i: number) => boolean): string[] =>
  Array.from({ length: CLAIMS }, (_, i) => i)
    .filter(isIn)
    .map((i) => `c${i}`)

test.each([1, 3, 7, CLAIMS, 500])('pages of %i contain every claim once, in the order of creation', async (first) => {
  const fleet = fleetWithEnded()
  expect(await allPages(fleet, first)).toEqual({ found: named(() => true), counts: [CLAIMS] })
  const released = named((i) => i % 3 !== 0)
  expect(await allPages(fleet, first, ['RELEASED'])).toEqual({ found: released, counts: [released.length] })
  const even = ({ id }: Claim): boolean => Number(id.slice(1)) % 2 === 0
  const evenReleased = named((i) => i % 3 !== 0 && i % 2 === 0)
  expect(await allPages(fleet, first, ['RELEASED', 'EXPIRED'], even)).toEqual({ found: evenReleased, counts: [evenReleased.length] })
})

test('a list of live claims unpacks no ended claim', async () => {
  const fleet = fleetWithEnded()
  expect(fleet.ledger.endedKeyCount).toBeGreaterThan(0)
  const unpack = vi.spyOn(fleet.ledger.claims, 'values')
  const looked: Claim[] = []
  const { found } = await allPages(fleet, 5, ['RESERVED', 'CONFIRMED', 'MATERIALISED'], (claim) => looked.push(claim) > 0)
  expect(found).toEqual(named((i) => i % 3 === 0))
  expect(looked.every(isLive)).toBe(true)
  expect(unpack).not.toHaveBeenCalled()
})

test('an invalid page argument is refused, and an empty fleet has an empty page', async () => {
  const { fleet } = aLog()
  const isAsked = (): boolean => true
  await expect(pageOfAllClaims(list, { first: 501 }, fleet, isAsked)).rejects.toThrow('claims.first is 501; it must be 1 to 500')
  await expect(pageOfAllClaims(list, { after: 'x' }, fleet, isAsked)).rejects.toThrow('a cursor of this list')
  expect(await allPages(fleet, 5)).toEqual({ found: [], counts: [0] })
})
