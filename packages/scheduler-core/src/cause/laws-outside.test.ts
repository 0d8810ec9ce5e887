import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { byExtent, draws } from '../../../../testing/extent.ts'
import { causeText } from './cause-text.ts'
import { hostDrawn, placesDrawn, refusal, requestDrawn, typedOnly } from './testing/arbitraries.suite.ts'
import { admittedOf, comparableParts } from './testing/cause-views.ts'
import { causeIn, fleetOf, foundOf, profiles, typedForm } from './testing/drawn.ts'

const RUNS = draws(40, 200, 10_000)

describe('the laws of the cause: hosts that the request does not admit', () => {
  test('adding hosts that the request does not admit never changes the cause', () => {
    let outsiders = 0
    fc.assert(
      fc.property(refusal, fc.array(hostDrawn, { minLength: 1, maxLength: 6 }), ({ hosts, asked, profile }, others) => {
        // the other hosts have no members of server groups, because members are counted on all hosts
        const more = others.map((host, i) => ({ ...host, name: `other${i}`, isMember: false, isHome: false }))
        // if all instances fit with the additional hosts, there is no refusal to compare
        fc.pre(foundOf(fleetOf([...hosts, ...more]), asked, profile) < asked.numInstances)
        const admitted = admittedOf(fleetOf([...hosts, ...more]), asked, profile)
        const outside = more.filter((_, i) => !admitted.has(hosts.length + i))
        outsiders += outside.length
        const fleet = fleetOf(hosts)
        expect(comparableParts(causeIn(fleetOf([...hosts, ...outside]), asked, profile))).toEqual(
          comparableParts(causeIn(fleet, asked, profile)),
        )
      }),
      RUNS,
    )
    expect(outsiders).toBeGreaterThan(0)
  })

  test('if the request admits no host, adding hosts that do not match the hosts, zones and aggregates of the request changes neither code nor text', () => {
    const met = new Set<string>()
    const drawn = { within: 0, contradictory: 0, exclusive: 0 }
    fc.assert(
      fc.property(
        fc.array(hostDrawn, { minLength: 1, maxLength: 6 }),
        requestDrawn,
        placesDrawn,
        typedOnly,
        fc.array(hostDrawn, { minLength: 1, maxLength: 6 }),
        fc.constantFrom(...profiles),
        (hosts, drawnRequest, { aggregates, ...place }, more, others, profile) => {
          const asked = typedForm(
            { ...drawnRequest, ...place },
            { ...more, ...(aggregates.length > 0 && { requestedDestination: { aggregates } }) },
          )
          const base = causeIn(fleetOf(hosts), asked, profile)
          fc.pre(base.admitted === 0)
          drawn.within += Number(base.within !== null)
          drawn.contradictory += Number(base.within === null && base.admission.filter(({ alone }) => alone !== null).length > 1)
          drawn.exclusive += Number(base.exclusive.length > 0)
          // if some hosts match all hosts, zones and aggregates of the request, hosts that match only some of these must not change the
          // result
          const isPart = base.within !== null && place.forceHosts.length > 0
          const outside = others.map(({ zone, rack, ...host }, i) => ({
            ...{ ...host, name: `other${i}`, isMember: false, isHome: false },
            ...(isPart ? { zone, rack } : { zone: null, rack: null }),
          }))
          // the other hosts report first or last, because the order of first reports must not change the result
          for (const all of [
            [...hosts.map((host, i) => ({ ...host, name: `h${i}` })), ...outside],
            [...outside, ...hosts.map((host, i) => ({ ...host, name: `h${i}` }))],
          ]) {
            const cause = causeIn(fleetOf(all), asked, profile)
            expect([cause.code, cause.reasons[0]?.code, causeText(cause)]).toEqual([base.code, base.code, causeText(base)])
          }
          met.add(base.code ?? '')
        },
      ),
      draws(60, 400, 10_000),
    )
    // a long run must have all of these codes, but a short run can miss the codes of devices
    const some = ['gpu.none', 'gpu.model', 'numa.not_reported', 'pci.short']
    const ofDevices = byExtent([], some, [...some, 'pci.not_reported'])
    expect([...met]).toEqual(expect.arrayContaining([...ofDevices, 'host.excluded', 'zone.other', 'trait.missing']))
    expect(Math.min(...Object.values(drawn))).toBeGreaterThan(0)
  })
})
