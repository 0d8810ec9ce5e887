import { describe, expect, test } from 'vitest'
import { examine } from '../../examine/examine.ts'
import { checkpointOf, restoreFleet } from '../../fleet/checkpoint.ts'
import { copyFleet } from '../../fleet/copy.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { openOverlay } from '../../fleet/overlay.ts'
import { profileSchema } from '../../records/profile.ts'
import { omittableFields } from '../../report/versions/v1-2.ts'
import { decide } from '../../schedulers/decide.ts'
import { aFleet, aLog, aReport, aRequest } from '../../testing/index.ts'

const GPU = [{ index: 0, model: null }]
const profileOf = (shape: object) => profileSchema.parse({ name: 'any', number: 1, filters: [], weighers: [], ...shape })
const named = (filter: string, weigher: string) =>
  profileOf({ filters: [{ name: filter }], weighers: [{ name: weigher, multiplier: 1 }], normalisation: 'fixed' })

const hostsOf = (fleet: Fleet, request: ReturnType<typeof aRequest>, profile: ReturnType<typeof profileOf>): string[] => {
  const overlay = openOverlay(fleet)
  try {
    const input = { id: 'd', request, profile, seed: 's', attempt: 1, alternatesPerInstance: 9, allOrNothing: true, claimIds: ['c'] }
    return decide(fleet, overlay, input).answer.flatMap(({ selected, alternates }) => [selected, ...alternates].map(({ host }) => host))
  } finally {
    overlay.discard()
  }
}

describe('a host whose report omits a field that a filter or weigher reads', () => {
  const fleet = aFleet({ reported: { gpus: GPU }, none: {}, silent: { omitted: ['gpus', 'traits'] } })
  const request = aRequest({ gpus: { count: 1 } })

  test('a host that omits a field is refused for the missing report, not for a missing resource', () => {
    const { firstRefusing, checksOf, steps } = examine(fleet, request, named('GpuFilter', 'RAMWeigher'), 's')
    const refusals = fleet.hosts.records.map(({ index }) => checksOf(index).find(({ verdict }) => verdict === 'FAIL'))
    expect(refusals.map((refusal) => refusal?.reason)).toEqual([
      undefined,
      { code: 'gpu.none', subject: 'GPU', need: 1, have: 0, unit: 'GPUs' },
      { code: 'host.not_reported', subject: 'gpus' },
    ])
    expect(refusals[2]).toMatchObject({
      filter: 'GpuFilter',
      facts: [{ subject: 'gpus', required: 'reported', actual: 'left out', actualFrom: { kind: 'report', report: { sequence: 1 } } }],
    })
    expect([...firstRefusing].filter((step) => step === firstRefusing[2])).toHaveLength(2)
    expect(steps.flatMap(({ reasons }) => reasons.map(({ code, hosts }) => [code, hosts]))).toEqual([
      ['gpu.none', 1],
      ['host.not_reported', 1],
    ])
  })

  test('a host passes although it omits a field if the filter that reads the field does not apply to the request', () => {
    expect(hostsOf(fleet, aRequest(), named('GpuFilter', 'RAMWeigher')).sort()).toEqual(['none', 'reported', 'silent'])
  })

  test('a host that omits the field of a weigher gets the lowest score of the other hosts', () => {
    const busy = aFleet({ busy: { numIoOps: 9 }, silent: { omitted: ['numIoOps'] }, idle: { numIoOps: 1 } })
    const profile = named('ComputeFilter', 'IoOpsWeigher')
    const { weighed } = examine(busy, aRequest(), profile, 's')
    expect([...(weighed.weighers[0]?.raw ?? [])]).toEqual([9, 1, 1])
    expect(weighed.weighers[0]?.hasNonsense).toBe(true)
  })

  test.each(['default', 'compat'] as const)('a host without the field is refused by the filters of Nova too (%s)', (how) => {
    const tight = aFleet({
      reported: { metrics: [{ name: 'm', value: 1, timestamp: '2026-11-21T08:00:00Z' }] },
      silent: { omitted: ['metrics'] },
    })
    const profile = profileOf({
      filters: [{ name: 'MetricsFilter', options: { 'metrics.weight_setting': ['m=1.0'] } }],
      weighers: [{ name: 'MetricsWeigher', multiplier: 1, options: { 'metrics.weight_setting': ['m=1.0'], 'metrics.required': false } }],
      ...(how === 'compat' && { compat: 'nova' }),
    })
    expect(hostsOf(tight, aRequest(), profile)).toEqual(['reported'])
  })
})

test('a host’s list of omitted fields is the same after a copy, a checkpoint and a delta', () => {
  const log = aLog()
  log.append([aReport('h', { omitted: ['numIoOps', 'gpus'] }), aReport('g')])
  const omitting = ({ hosts }: Fleet) => [hosts.omitting, ...hosts.records.map(({ stats }) => stats.omitted)]
  const { fleet } = log
  expect(omitting(fleet)).toEqual([1, ['numIoOps', 'gpus'], []])
  const restored = restoreFleet(checkpointOf(fleet))
  expect(omitting(copyFleet(fleet))).toEqual(omitting(fleet))
  expect(omitting(restored)).toEqual(omitting(fleet))
  expect([...restored.hosts.columns.omits.slice(0, 2)]).toEqual([...fleet.hosts.columns.omits.slice(0, 2)])

  // after a report with a value for the field, the field is not omitted
  const { full: _, ...identity } = aReport('h', {}, 2)
  expect(log.append([{ ...identity, delta: { baseSequence: 1, numIoOps: 3 } }])).toEqual([undefined])
  expect(omitting(fleet)).toEqual([1, ['gpus'], []])
  log.append([aReport('h', {}, 3)])
  expect(omitting(fleet)).toEqual([0, [], []])
  expect(fleet.hosts.columns.omits[0]).toBe(0)
})

test('every field that can be omitted has its own bit', () => {
  const fleet = aFleet(Object.fromEntries(omittableFields.map((field) => [field, { omitted: [field] }])))
  const bits = [...fleet.hosts.columns.omits.slice(0, omittableFields.length)]
  expect(new Set(bits).size).toBe(omittableFields.length)
  expect(bits.every((bit) => bit !== 0)).toBe(true)
})
