import { audit, auditWorld, warningsOf } from '@gantt/scheduler-core'
import { aClaim, aReport, aUuid } from '@gantt/scheduler-core/testing'
import { expect, test } from 'vitest'
import { demoFleet } from './fleet.ts'
import { statsWith } from './running.ts'
import { applied, appliedLog } from './testing/fleet.ts'

const fleet = demoFleet({ hosts: 30, seed: '1' })

test('the reports of a fresh fleet agree with its claims and list the instances', () => {
  const { hosts } = applied(fleet)
  expect(fleet.hosts.filter(({ stats }) => stats.instances === null)).toEqual([])
  expect(hosts.present.flatMap((record) => warningsOf(applied(fleet), record))).toEqual([])
})

test('a host reports its own usage plus that of the instances that run on it', () => {
  const log = appliedLog(fleet)
  const host = fleet.hosts.find(({ kind }) => kind === 'gpu')
  if (host === undefined) throw new Error('the fleet has no host with GPUs')
  const { name, stats } = host
  const gpu = stats.gpus.find(({ usedMilli }) => usedMilli === 0)?.index ?? 0
  const grants = {
    classes: { VCPU: 4, MEMORY_MB: 8_192, DISK_GB: 40 },
    numa: [{ guest: 0, cell: 1, cpus: 2, memoryMb: 8_192, pinned: [40, 41] }],
    gpu: [{ index: gpu, milli: 1_000 }],
  }
  const instance = aUuid(1)
  expect(log.append([aClaim({ key: 'k', mode: 'CONFIRM', hosts: [name], instances: [instance], grants })], { at: 2_000 })).toEqual([
    undefined,
  ])
  const before = warningsOf(log.fleet, log.fleet.hosts.get(log.fleet.hosts.nodesOf(name)[0] as never))
  const running = {
    instanceUuid: instance,
    resources: Object.entries(grants.classes).map(([resourceClass, amount]) => ({ resourceClass, amount })),
    cells: [{ cell: 1, cpus: 2, memoryMb: 8_192, pinned: [40, 41] }],
    gpus: grants.gpu,
  }
  const nameless = { ...running, instanceUuid: null }
  log.append([aReport(name, statsWith(stats, [running, nameless]), 2)], { at: 3_000 })
  const { hosts, ledger } = log.fleet
  const record = hosts.get(hosts.nodesOf(name)[0] as never)
  expect([before, warningsOf(log.fleet, record)]).toEqual([[], []])
  expect([...audit(log.fleet), ...auditWorld(log.fleet)].flatMap(({ findings }) => findings)).toEqual([])
  expect([ledger.claims.get('k.0')?.state, record.stats.instances, record.stats.runningVms]).toEqual(['MATERIALISED', [instance], 1])
  expect(record.stats.vcpusUsed - stats.vcpusUsed).toBe(4)
})
