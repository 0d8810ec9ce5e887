import { expect, test } from 'vitest'
import { aNovaHost, S } from '../../claims/testing/nova-host.ts'
import { aRequest } from '../../testing/index.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { gpuClusteringWeigher } from './gpu-clustering.ts'

test('a released reservation whose amounts stay held uses no GPU', () => {
  const { log, report, reserve, call } = aNovaHost()
  report(S, 1, { gpus: [{ index: 0, model: 'A', usedMilli: null }] })
  const request = aRequest({ gpus: { count: 1, shareMilli: 250 } })
  const score = (): number => gpuClusteringWeigher.prepare(request, log.fleet, {}, 1)(0 as HostIndex)
  const none = score()
  const [VCPU, MEMORY_MB, DISK_GB] = S
  reserve('a', S, { grants: { classes: { VCPU, MEMORY_MB, DISK_GB }, gpu: [{ index: 0, milli: 250 }] } })
  expect(score()).toBeGreaterThan(none + 50)
  call('release', 'a')
  expect(log.fleet.ledger.claims.get('a')?.heldUntil).not.toBeNull()
  expect(score()).toBe(none)
})
