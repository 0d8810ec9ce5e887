import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { draws } from '../../../../testing/extent.ts'
import { examine } from '../examine/examine.ts'
import type { ReasonCode } from '../text/codes.ts'
import { atOnce } from '../values/steps.ts'
import { causeText } from './cause-text.ts'
import { isFull } from './members/too-few.ts'
import { hostDrawn, listsDrawn, refusal, requestDrawn } from './testing/arbitraries.suite.ts'
import { admittedOf } from './testing/cause-views.ts'
import { afterFound, causeIn, fleetOf, foundOf, legacyForm, novaForm, profiles, refuses, typedForm } from './testing/drawn.ts'
import { inOtherOrder, withListsTurned } from './testing/other-order.ts'
import { refusedHosts } from './words.ts'

const RUNS = draws(40, 200, 10_000)

describe('the laws of the cause: forms of requests, orders of lists, and counts of hosts', () => {
  test('a request has the same cause in the typed form, as a RequestSpec of Nova and as older dictionaries of Nova', () => {
    fc.assert(
      fc.property(
        fc.array(hostDrawn, { minLength: 1, maxLength: 6 }),
        requestDrawn,
        fc.constantFrom(...profiles),
        (hosts, drawn, profile) => {
          const fleet = fleetOf(hosts)
          fc.pre(refuses(fleet, typedForm(drawn), profile))
          const cause = causeIn(fleet, typedForm(drawn), profile)
          for (const [form, asked] of Object.entries({ nova: novaForm(drawn), legacy: legacyForm(drawn) })) {
            const other = causeIn(fleet, asked, profile)
            expect([form, causeText(other), other.code]).toEqual([form, causeText(cause), cause.code])
          }
        },
      ),
      RUNS,
    )
  })

  test('reordering lists of the request does not change the cause if their order has no meaning', () => {
    let changed = 0
    fc.assert(
      fc.property(
        fc.array(hostDrawn, { minLength: 1, maxLength: 6 }),
        requestDrawn,
        listsDrawn,
        fc.constantFrom(...profiles),
        fc.nat({ max: 4 }),
        (hosts, drawn, lists, profile, shift) => {
          const fleet = fleetOf(hosts)
          const asked = typedForm(drawn, lists)
          const other = inOtherOrder(asked, shift)
          changed += Number(JSON.stringify(other) !== JSON.stringify(asked))
          fc.pre(refuses(fleet, asked, profile))
          const [cause, again] = [causeIn(fleet, asked, profile), causeIn(fleet, other, profile)]
          expect([causeText(again), again.code, again.reasons]).toEqual([causeText(cause), cause.code, cause.reasons])
          const found = foundOf(fleet, asked, profile)
          const examined = afterFound(fleet, asked, profile, (_, judged) => atOnce(examine(fleet, other, judged, 's', found).cause()))
          expect(causeText(examined)).toBe(causeText(cause))
          const turned = withListsTurned(drawn)
          for (const form of [novaForm, legacyForm])
            expect(causeText(causeIn(fleet, form(turned), profile))).toBe(causeText(causeIn(fleet, form(drawn), profile)))
        },
      ),
      RUNS,
    )
    expect(changed).toBeGreaterThan(0)
  })

  test('the order of the filters does not change the cause', () => {
    fc.assert(
      fc.property(refusal, ({ hosts, asked, profile }) => {
        const fleet = fleetOf(hosts)
        const turned = { ...profile, filters: profile.filters.toReversed() }
        const { admitted, refusals, nearest } = causeIn(fleet, asked, profile)
        const other = causeIn(fleet, asked, turned)
        const codes = (all: typeof refusals) => new Map(all.map(({ code, hosts: count }) => [code, count]))
        expect(other.admitted).toBe(admitted)
        expect(codes(other.refusals)).toEqual(codes(refusals))
        expect(other.nearest?.name).toEqual(nearest?.name)
      }),
      draws(30, 200, 10_000),
    )
  })

  test('the first sentence and the first reason have the code of the cause, and the reasons count each host of the fleet once', () => {
    const met = new Set<string>()
    let ties = 0
    fc.assert(
      fc.property(refusal, ({ hosts, asked, profile }) => {
        const fleet = fleetOf(hosts)
        const cause = causeIn(fleet, asked, profile)
        const { code, reasons, refusals, nearest, admitted, tooFew } = cause
        expect([reasons[0]?.code, reasons.reduce((sum, one) => sum + one.hosts, 0)]).toEqual([code, hosts.length])
        if (admitted === 0 || code === null) return
        met.add(code)
        expect(refusals[0]?.code).toBe(code)
        // if several codes have the most hosts, the code of the cause is a code of the nearest host if possible
        const asMany = refusals.filter(({ hosts: count }) => count === refusals[0]?.hosts).map((one) => one.code)
        const ofNearest = nearest?.refusals.map(({ reason }) => reason.code) ?? []
        if (tooFew === null && !refusals.some((one) => isFull(one.code)) && asMany.some((one) => ofNearest.includes(one))) {
          expect(ofNearest).toContain(code)
          ties += Number(asMany.length > 1)
        }
        const first = nearest?.refusals[0]?.reason
        // If one host is admitted, the text is about this host. If several hosts are admitted, the first sentence counts them by code.
        if (admitted === 1) expect(first?.code).toBe(code)
        else expect(causeText(cause)).toContain(`: ${refusals[0]?.hosts} ${refusedHosts[code as ReasonCode]}`)
        if (nearest !== null && tooFew === null && nearest.refusals.some(({ reason }) => reason.code === code))
          expect(first?.code).toBe(code)
      }),
      draws(120, 300, 10_000),
    )
    expect(met.size).toBeGreaterThan(5)
    expect(ties).toBeGreaterThan(0)
  })

  test('the cause counts all hosts that the request admits, and the nearest host is one of them', () => {
    fc.assert(
      fc.property(refusal, ({ hosts, asked, profile }) => {
        const fleet = fleetOf(hosts)
        const { admitted, refusals, nearest } = causeIn(fleet, asked, profile)
        const expected = admittedOf(fleet, asked, profile)
        expect(admitted).toBe(expected.size)
        const most = admitted > 0 ? admitted : Math.max(1, asked.forceHosts.length)
        for (const { hosts: count } of refusals) expect(count).toBeLessThanOrEqual(most)
        if (admitted === 0) return
        const index = fleet.hosts.records.findIndex(({ host }) => host === nearest?.name.host)
        expect(expected).toContain(index)
        expect(Math.max(...refusals.map(({ hosts: count }) => count))).toBeGreaterThan(0)
      }),
      draws(30, 200, 10_000),
    )
  })
})
