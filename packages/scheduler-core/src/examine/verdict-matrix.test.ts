import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Fleet } from '../fleet/fleet.ts'
import { PASSES_ALL } from '../pipeline/findings.ts'
import { aFleet, aRequest } from '../testing/index.ts'
import type { HostIndex } from '../values/host-index.ts'
import { distanceOf } from './distance.ts'
import { examine, prepareChecks } from './examine.ts'
import { NO_REASON, verdictMatrix } from './verdict-matrix.ts'

const host = fc.record({
  vcpus: fc.integer({ min: 1, max: 16 }),
  memoryMb: fc.integer({ min: 1, max: 64 }).map((n) => n * 512),
  localGb: fc.integer({ min: 1, max: 100 }),
  traits: fc.subarray(['HW_A', 'HW_B']),
})
const request = fc.record({
  vcpus: fc.integer({ min: 1, max: 12 }),
  memoryMb: fc.integer({ min: 1, max: 40 }).map((n) => n * 512),
})

const profileOf = (fleet: Fleet) => {
  const profile = fleet.profiles.find('default')
  if (profile === undefined) throw new Error('expected a profile named default')
  return profile
}

test('verdicts, reasons, ranks and step counts of an examination agree for each host and each filter', () => {
  fc.assert(
    fc.property(fc.array(host, { maxLength: 24 }), request, (shapes, wanted) => {
      const fleet = aFleet(Object.fromEntries(shapes.map((shape, i) => [`h${i}`, shape])))
      const examination = examine(fleet, aRequest(wanted), profileOf(fleet), 'seed')
      const asked = prepareChecks(fleet, aRequest(wanted), profileOf(fleet))
      const matrix = verdictMatrix(examination, asked)
      const { hostCount, filters, firstRefusing, reason, codes, units, missing, refusedBy, bytesPerHost, rank, distance } = matrix
      const refuses = (h: number, f: number) => ((refusedBy[h * bytesPerHost + (f >> 3)] as number) >> (f & 7)) & 1
      const bitsOf = (h: number) => filters.flatMap((_, f) => (refuses(h, f) ? [f] : []))

      expect(hostCount).toBe(shapes.length)
      for (let h = 0; h < hostCount; h++) {
        const bits = bitsOf(h)
        expect(firstRefusing[h]).toBe(bits[0] ?? PASSES_ALL)
        expect(rank[h] === 0).toBe(bits.length > 0)
        expect(distance[h] === 0).toBe(bits.length === 0)
        expect(reason[h] === NO_REASON).toBe(bits.length === 0)
        const checks = asked.checksOf(h as HostIndex)
        expect(checks.flatMap((check, f) => (check.reason === undefined ? [] : [f]))).toEqual(bits)
        expect(distance[h]).toBe(distanceOf(checks))
        const { need, have, unit } = checks.find((check) => check.reason !== undefined)?.reason ?? {}
        expect(missing[h]).toBe(typeof need === 'number' && typeof have === 'number' && need > have ? need - have : 0)
        if (missing[h] !== 0) expect([unit ?? null, null]).toContain(units[reason[h] as number])
        expect(examination.checksOf(h as HostIndex)).toEqual(checks)
      }
      const hosts = [...Array(hostCount).keys()]
      let left = hostCount
      for (const [f, step] of examination.steps.entries()) {
        const refused = hosts.filter((h) => firstRefusing[h] === f)
        expect(step.entered).toBe(left)
        left -= refused.length
        expect(step.passed).toBe(left)
        expect(step.soleRejections).toBe(hosts.filter((h) => bitsOf(h).length === 1 && refuses(h, f)).length)
        for (const { code, hosts: count } of step.reasons)
          expect(refused.filter((h) => codes[reason[h] as number] === code).length).toBe(count)
      }
      const ranks = [...rank].filter((one) => one > 0).sort((a, b) => a - b)
      expect(ranks).toEqual(ranks.map((_, i) => i + 1))
      expect(ranks.length).toBe(left)
    }),
  )
})

describe('the distance of a host from passing all filters', () => {
  const failing = (need?: number | string, have?: number | string) => ({
    filter: 'F',
    verdict: 'FAIL' as const,
    reason: { code: 'memory.short' as const, ...(need === undefined ? {} : { need }), ...(have === undefined ? {} : { have }) },
  })
  const passing = { filter: 'F', verdict: 'PASS' as const }

  test.each([
    ['if no filter refuses the host, the distance is 0', [passing], 0],
    ['if a quarter of the needed amount is missing, the distance is 0.25', [failing(32, 24)], 0.25],
    ['if the free amount is negative, the distance is above 1', [failing(10, -5)], 1.5],
    ['a refusal because of a name counts as 1', [failing('HW_A', 'HW_B')], 1],
    ['a refusal without numbers counts as 1', [failing()], 1],
    ['the largest share counts, and each further refusal adds 0.001', [failing(32, 24), passing, failing(10, 9)], 0.251],
    ['a refusal although the amount is enough counts as 1', [failing(4, 8)], 1],
  ])('%s', (_rule, checks, distance) => expect(distanceOf(checks)).toBeCloseTo(distance, 12))
})
