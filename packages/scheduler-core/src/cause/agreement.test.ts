import fc from 'fast-check'
import { expect, test } from 'vitest'
import { draws } from '../../../../testing/extent.ts'
import { examine } from '../examine/examine.ts'
import { nearMissesIn } from '../examine/near-misses.ts'
import { verdictMatrix } from '../examine/verdict-matrix.ts'
import { atOnce } from '../values/steps.ts'
import { countCapacity } from '../what-if/capacity.ts'
import { causeOf } from './cause.ts'
import { refusal } from './testing/arbitraries.suite.ts'
import { fleetOf } from './testing/drawn.ts'

const RUNS = draws(40, 300, 2_000)

/** Refused requests for one instance. Requests for several instances are left out, because the capacity is counted for single instances. */
const oneRefused = refusal.filter(({ asked }) => asked.numInstances === 1)

test('if no instance fits, the first bottleneck of the capacity has the code of the cause', () => {
  const met = new Set<string>()
  fc.assert(
    fc.property(oneRefused, ({ hosts, asked, profile }) => {
      const cause = causeOf(fleetOf(hosts), asked, profile)
      const capacity = atOnce(
        countCapacity(fleetOf(hosts), {
          ...{ request: asked, profile, seed: 's', limit: 100 },
          groupsOf: () => ['all'],
          isOver: () => false,
        }),
      )
      const [first] = capacity.bottlenecks
      expect([capacity.fits, first?.code, first?.admitted]).toEqual([0, cause.code, cause.admitted > 0])
      expect(capacity.groups[0]?.bottleneck).toEqual(first)
      if (cause.code !== null) met.add(cause.code)
    }),
    RUNS,
  )
  expect(met.size).toBeGreaterThan(5)
})

test('the first near miss is the nearest host of the cause, and admitted hosts are listed before other hosts', () => {
  fc.assert(
    fc.property(oneRefused, ({ hosts, asked, profile }) => {
      const fleet = fleetOf(hosts)
      const examined = examine(fleet, asked, profile, 's')
      const { nearest, admitted } = causeOf(fleet, asked, profile)
      const named = nearest === null ? undefined : fleet.hosts.find(nearest.name)?.index
      const order = nearMissesIn(verdictMatrix(examined, examined), examined.admitted, named)
      expect(order).toHaveLength(hosts.length)
      if (named !== undefined) expect(order[0]).toBe(named)
      if (admitted > 0) expect(order.slice(0, admitted).every((host) => examined.admitted[host] === 1)).toBe(true)
    }),
    RUNS,
  )
})
