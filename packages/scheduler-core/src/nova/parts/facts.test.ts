import { expect, test } from 'vitest'
import { prepareChecks } from '../../examine/examine.ts'
import { FEATURE_LEVEL } from '../../records/change.ts'
import { profileSchema } from '../../records/profile.ts'
import { aLog, aReport, aRequest, type HostShape } from '../../testing/index.ts'
import type { HostIndex } from '../../values/host-index.ts'

/** The code and the amount of the first fact with which Nova's filter refuses the host. */
function factOf(name: string, host: HostShape) {
  const log = aLog()
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('h1', host)])
  const profile = profileSchema.parse({ name: 'p', number: 1, compat: 'nova', filters: [{ name }], weighers: [] })
  const checks = prepareChecks(log.fleet, aRequest({ vcpus: 2, memoryMb: 1_024 }), profile).checksOf(0 as HostIndex)
  const { reason, facts = [] } = checks.find(({ filter }) => filter === name) ?? {}
  return [reason?.code, facts[0]?.amountOf]
}

test.each<[name: string, host: HostShape, code: string, amountOf: string | undefined]>([
  ['CoreFilter', { vcpus: 1, cpuAllocationRatio: 4 }, 'cpu.too_few', 'in total'],
  ['IoOpsFilter', { numIoOps: 8 }, 'io_ops.too_many', undefined],
  ['NumInstancesFilter', { runningVms: 50 }, 'instances.too_many', undefined],
])('%s: only an amount of a resource is an amount in total, and a count is not', (name, host, code, amountOf) => {
  expect(factOf(name, host)).toEqual([code, amountOf])
})
