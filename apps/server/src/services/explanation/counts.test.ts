import { CORE_VERSION, type DecisionRecord, PASSES_ALL, profileRef, publishedSpec, replay } from '@gantt/scheduler-core'
import { aFleet, aRequest } from '@gantt/scheduler-core/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byExtent } from '../../../../../testing/extent.ts'
import { createOwnFleet } from '../moments/own-fleet.ts'
import { examineInstance, type Question } from './examined.ts'
import { listVerdicts, selectionOf, type VerdictFilter } from './explanation.ts'

const host = fc.record({
  vcpus: fc.integer({ min: 1, max: 8 }),
  memoryMb: fc.integer({ min: 1, max: 16 }).map((n) => n * 512),
  localGb: fc.integer({ min: 1, max: 20 }),
  traits: fc.subarray(['HW_A', 'HW_B']),
})
const request = fc.record({
  vcpus: fc.integer({ min: 1, max: 6 }),
  memoryMb: fc.integer({ min: 1, max: 12 }).map((n) => n * 512),
  rootGb: fc.integer({ min: 0, max: 12 }),
  extraSpecs: fc.constantFrom({}, { 'trait:HW_A': 'required' }, { 'trait:HW_B': 'forbidden' }),
})

function questionOf(shapes: readonly object[], flavor: object, ignored: number): Question {
  const fleet = aFleet(Object.fromEntries(shapes.map((shape, i) => [`h${i}`, shape])))
  const spec = aRequest({ flavor, ignoreHosts: ignored === 0 ? [] : ['h0'] } as Parameters<typeof aRequest>[0])
  const profile = fleet.profiles.find('default')
  if (profile === undefined) throw new Error('the default profile does not exist')
  const record: DecisionRecord = {
    id: '',
    request: publishedSpec(spec),
    profile: profileRef(profile),
    seed: 'asked',
    attempt: 1,
    alternatesPerInstance: 2,
    allOrNothing: true,
    instances: [],
    core: CORE_VERSION,
  }
  const { answer } = replay(fleet, [], record)
  return { record, before: [], answer, fidelity: 'REPLAYED', profile, basis: fleet.place.revision, state: createOwnFleet(() => fleet) }
}

/** An empty table of hosts. It has no earlier names of hosts. */
const table = aFleet({}).hosts

test("every count is part of the fleet's total, and its query finds exactly the counted hosts", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(host, { maxLength: 16 }), request, fc.nat({ max: 1 }), async (shapes, flavor, ignored) => {
      const question = questionOf(shapes, flavor, ignored)
      const examined = await examineInstance(question, 0)
      const countOf = async (filter: VerdictFilter) => {
        const { edges, totalCount } = await listVerdicts(table, examined, { first: 50 }, filter, 'NAME')
        expect(await totalCount?.()).toBe(edges.length)
        return edges.length
      }
      let left = shapes.length
      for (const { filter, entered, passed, soleRejections, reasons } of examined.steps) {
        expect(entered).toBe(left)
        expect(reasons.reduce((sum, { hosts }) => sum + hosts, 0)).toBe(entered - passed)
        expect(await countOf({ reached: [filter] })).toBe(entered)
        expect(await countOf({ passed: [filter] })).toBe(passed)
        expect(await countOf({ rejectedBy: [filter] })).toBe(entered - passed)
        expect(await countOf({ refusedOnlyBy: [filter] })).toBe(soleRejections)
        for (const { code, hosts } of reasons) expect(await countOf({ rejectedBy: [filter], reason: [code] })).toBe(hosts)
        left = passed
      }
      expect(await countOf({ outcome: ['SELECTED', 'ALTERNATE', 'LOST_ON_WEIGHT'] })).toBe(left)
      expect(await countOf({ outcome: ['FILTERED'] })).toBe(shapes.length - left)
      expect(await countOf({ tied: true })).toBe(selectionOf(examined).tied)
    }),
    { numRuns: byExtent(20, 60) },
  )
})

test("if evaluation stops at a host's first refusal, the funnel is unchanged and each host has only its first refusal", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(host, { maxLength: 12 }), request, async (shapes, flavor) => {
      const question = questionOf(shapes, flavor, 0)
      const [whole, short] = [await examineInstance(question, 0), await examineInstance(question, 0, true)]
      const funnel = ({ steps }: typeof whole) => steps.map(({ soleRejections: _, ...step }) => step)
      expect(funnel(short)).toEqual(funnel(whole))
      expect([...short.firstRefusing]).toEqual([...whole.firstRefusing])
      for (const index of shapes.keys()) {
        const first = short.firstRefusing[index] as number
        const verdicts = (await short.verdict(index).checks()).map(({ verdict }) => verdict)
        expect(verdicts.filter((verdict) => verdict === 'FAIL').length).toBe(first === PASSES_ALL ? 0 : 1)
        if (first !== PASSES_ALL) expect(new Set(verdicts.slice(first + 1)).size).toBeLessThanOrEqual(1)
      }
      await expect(listVerdicts(table, short, {}, { refusedBy: ['RamFilter'] }, 'NAME')).rejects.toMatchObject({
        issues: [{ path: ['filter', 'refusedBy'] }],
      })
    }),
    { numRuns: byExtent(8, 20) },
  )
})
