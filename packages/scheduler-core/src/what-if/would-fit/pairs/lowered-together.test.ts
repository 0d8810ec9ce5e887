import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byExtent } from '../../../../../../testing/extent.ts'
import type { Fleet } from '../../../fleet/fleet.ts'
import { builtInProfiles } from '../../../profiles/built-in.ts'
import { FEATURE_LEVEL } from '../../../records/change.ts'
import type { Profile } from '../../../records/profile.ts'
import type { RequestSpec } from '../../../request/request-spec.ts'
import { aLog, aReport, aRequest, type HostShape } from '../../../testing/index.ts'
import { atOnce } from '../../../values/steps.ts'
import { simulate } from '../../simulate.ts'
import { whatWouldFit } from '../what-would-fit.ts'

/**
 * One host can have too few CPUs, and another host too little memory. A request for several instances then fits only if both amounts are
 * lowered. A proposal must not lower either amount more than necessary.
 */

const GIB = 1_024
const profile = builtInProfiles.find(({ name }) => name === 'default') as Profile
const isOver = () => false

function fleetOf(hosts: readonly HostShape[]): Fleet {
  const log = aLog()
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, ...hosts.map((shape, i) => aReport(`h${i}`, shape))])
  return log.fleet
}

const fits = (fleet: Fleet, request: RequestSpec): boolean =>
  atOnce(simulate(fleet, { requests: [{ request, count: 1 }], profile, seed: 's', isOver })).failed === 0

function proposals(fleet: Fleet, request: RequestSpec, { minHosts = 1, maxRuns = 400 } = {}) {
  const options = { request, profile, kinds: ['REQUEST'] as const, seed: 's', maxChanges: 2, first: 30, minHosts, maxRuns, isOver }
  const { counterfactuals, cut } = atOnce(whatWouldFit(fleet, options))
  return {
    cut,
    said: counterfactuals.map(({ changes }) => changes.map(({ subject, to }) => `${subject} -> ${to}`).sort()),
    requests: counterfactuals.map((one) => one.request),
  }
}

test('if one host has few CPUs and another host has little memory, lowering both amounts for two instances is proposed', () => {
  const fleet = fleetOf([
    { vcpus: 2, memoryMb: 16 * GIB },
    { vcpus: 16, memoryMb: 2 * GIB },
  ])
  expect(proposals(fleet, aRequest({ vcpus: 4, memoryMb: 4 * GIB, numInstances: 2 })).said).toContainEqual([
    'memory -> 2048 MiB',
    'vCPUs -> 2',
  ])
})

test('if one host has few CPUs, another has little memory, and two hosts must pass (minHosts), lowering both is proposed', () => {
  const fleet = fleetOf([
    { vcpus: 2, memoryMb: 16 * GIB },
    { vcpus: 16, memoryMb: 2 * GIB },
  ])
  expect(proposals(fleet, aRequest({ vcpus: 4, memoryMb: 4 * GIB }), { minHosts: 2 }).said).toContainEqual([
    'memory -> 2048 MiB',
    'vCPUs -> 2',
  ])
})

test('if hosts have different step sizes for a class and one host has little memory, each proposed request fits', () => {
  const fpgas = (total: number, stepSize: number): HostShape => ({
    ...{ vcpus: 16, memoryMb: stepSize === 2 ? 2 * GIB : 64 * GIB },
    inventories: [{ resourceClass: 'CUSTOM_FPGA', total, stepSize }],
  })
  const fleet = fleetOf([fpgas(4, 2), fpgas(3, 3)])
  const request = aRequest({ flavor: { vcpus: 1, memoryMb: 4 * GIB, extraSpecs: { 'resources:CUSTOM_FPGA': '12' } }, numInstances: 1 })
  for (const one of proposals(fleet, request).requests) expect(fits(fleet, one)).toBe(true)
})

const drawn = fc.record({
  hosts: fc.array(fc.record({ vcpus: fc.integer({ min: 1, max: 8 }), gib: fc.integer({ min: 1, max: 8 }) }), {
    minLength: 2,
    maxLength: 4,
  }),
  vcpus: fc.integer({ min: 2, max: 10 }),
  gib: fc.integer({ min: 2, max: 10 }),
  numInstances: fc.integer({ min: 2, max: 5 }),
})

test('law: if only lowering both amounts suffices, this is proposed, and neither number can be nearer to its present value', () => {
  let pairs = 0
  let isCut = 0
  fc.assert(
    fc.property(drawn, ({ hosts, vcpus, gib, numInstances }) => {
      const fleet = fleetOf(hosts.map((host) => ({ vcpus: host.vcpus, memoryMb: host.gib * GIB })))
      const requestOf = (cpus: number, memoryMb: number) => aRequest({ vcpus: cpus, memoryMb, numInstances })
      const isEnough = (cpus: number, memoryMb: number) => fits(fleet, requestOf(cpus, memoryMb))
      if (isEnough(vcpus, gib * GIB)) return
      // true if the request fits with both numbers at 1, but not with only one of them at 1
      const isPair = !isEnough(1, gib * GIB) && !isEnough(vcpus, 1) && isEnough(1, 1)
      const { requests, cut } = proposals(fleet, requestOf(vcpus, gib * GIB))
      if (cut !== null) isCut++
      const flavors = requests.flatMap(({ numInstances: count, flavor }) =>
        count === numInstances && flavor.vcpus < vcpus && flavor.memoryMb < gib * GIB ? [flavor] : [],
      )
      if (isPair) pairs++
      if (isPair && cut === null) expect(flavors.length).toBeGreaterThan(0)
      for (const flavor of flavors) {
        expect(isEnough(flavor.vcpus, flavor.memoryMb)).toBe(true)
        expect(isEnough(flavor.vcpus + 1, flavor.memoryMb)).toBe(false)
        expect(isEnough(flavor.vcpus, flavor.memoryMb + 1)).toBe(false)
      }
    }),
    { numRuns: byExtent(12, 300) },
  )
  expect(pairs).toBeGreaterThan(0)
  expect(isCut).toBe(0)
})
