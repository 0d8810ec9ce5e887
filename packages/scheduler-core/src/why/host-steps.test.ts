import { describe, expect, test } from 'vitest'
import type { Change } from '../records/change.ts'
import { aClaim, aLog, aReport, aUuid } from '../testing/index.ts'
import { type HostStep, hostStepsOf, LISTED_CHANGES } from './host-steps.ts'

const ssd = (metadata: Readonly<Record<string, string>>, hosts: readonly string[], expectedVersion = 0): Change => ({
  ...{ type: 'aggregate', uuid: aUuid(5), expectedVersion },
  next: { name: 'ssd', metadata, hosts },
})
const status = (reason: string): Change => ({ type: 'status', host: 'h1', node: 'h1', status: 'DISABLED', reason })
const liveness = (state: 'UP' | 'DOWN', reason: string): Change => ({ type: 'liveness', host: 'h1', node: 'h1', state, reason })

const machine = {
  vcpus: 4,
  traits: ['HW_A'],
  gpus: [{ index: 0, model: 'A100' }],
  pciPools: [{ vendorId: '8086', productId: '10ed', numaNode: 0, total: 4, used: 1 }],
  numaCells: [{ id: 0, cpuset: [0, 1], memoryMb: 1_024, pages: [{ sizeKib: 4, total: 262_144, used: 1 }] }],
  inventories: [{ resourceClass: 'CUSTOM_X', total: 4, reserved: 1, allocationRatio: 2 }],
}

/** Applies the entries, and returns the steps of the last entry as text, with the names of the hosts. */
function stepsAfter(...entries: readonly (readonly Change[])[]) {
  const log = aLog()
  for (const changes of entries) expect(log.append(changes).filter((verdict) => verdict !== undefined)).toEqual([])
  const nameOf = ({ host }: HostStep) => log.fleet.hosts.get(host).host
  return hostStepsOf(log.fleet).map((step) => [nameOf(step), step.kind, step.reason, changesOf(step)])
}
const changesOf = ({ changes }: HostStep) => changes.map(({ field, before, after }) => `${field}: ${before} -> ${after}`)

describe('the steps of hosts by an entry of the log', () => {
  test('the first report of a host is the step FIRST_REPORT', () => {
    expect(stepsAfter([aReport('h1', machine)])).toEqual([['h1', 'FIRST_REPORT', '', []]])
  })

  test('a report that is unchanged or differs only in usage is not a step', () => {
    const more = {
      ...machine,
      vcpusUsed: 2,
      runningVms: 3,
      numIoOps: 1,
      pciPools: [{ vendorId: '8086', productId: '10ed', numaNode: 0, total: 4, used: 3 }],
      gpus: [{ index: 0, model: 'A100', usedMilli: 500 }],
      numaCells: [{ id: 0, cpuset: [0, 1], memoryMb: 1_024, memoryUsageMb: 512, pages: [{ sizeKib: 4, total: 262_144, used: 9 }] }],
      metrics: [{ name: 'cpu.percent', value: 0.5, timestamp: '2026-11-21T08:00:00Z' }],
    }
    expect(stepsAfter([aReport('h1', machine)], [aReport('h1', machine, 2)])).toEqual([])
    expect(stepsAfter([aReport('h1', machine)], [aReport('h1', more, 2)])).toEqual([])
  })

  test('a report with a changed inventory is a step with the old and the new values', () => {
    const other = {
      vcpus: 8,
      cpuAllocationRatio: 4,
      traits: ['HW_B'],
      gpus: [],
      pciPools: [{ vendorId: '8086', productId: '10ed', numaNode: 0, total: 2, used: 1 }],
      numaCells: [{ id: 0, cpuset: [0], memoryMb: 1_024, pages: [{ sizeKib: 4, total: 262_144 }] }],
      inventories: [{ resourceClass: 'CUSTOM_X', total: 4, reserved: 2, allocationRatio: 1.5 }],
    }
    expect(stepsAfter([aReport('h1', machine)], [aReport('h1', other, 2)])).toEqual([
      [
        'h1',
        'INVENTORY',
        '',
        [
          'vcpus: 4 -> 8',
          'cpuAllocationRatio: 1 -> 4',
          'CUSTOM_X reserved: 1 -> 2',
          'CUSTOM_X ratio: 2 -> 1.5',
          'trait HW_A: yes -> null',
          'trait HW_B: null -> yes',
          'GPU 0: A100 -> null',
          'PCI 8086:10ed@0 total: 4 -> 2',
          'NUMA cell 0: CPUs 0,1; 1024 MiB; 262144 pages of 4 KiB -> CPUs 0; 1024 MiB; 262144 pages of 4 KiB',
        ],
      ],
    ])
  })

  test('a report with the same traits in another order is not a step', () => {
    expect(stepsAfter([aReport('h1', { traits: ['A', 'B'] })], [aReport('h1', { traits: ['B', 'A'] }, 2)])).toEqual([])
  })

  test('if 100 traits are new, the first 50 changes are listed, with the count of the others', () => {
    const log = aLog()
    log.append([aReport('h1')])
    log.append([aReport('h1', { traits: Array.from({ length: 100 }, (_, i) => `CUSTOM_${i}`) }, 2)])
    const [step] = hostStepsOf(log.fleet)
    expect([step?.changes.length, step?.leftOut]).toEqual([LISTED_CHANGES, 100 - LISTED_CHANGES])
  })

  test('two reports of a host in one entry are one step, with the values before the first and after the last report', () => {
    expect(stepsAfter([aReport('h1', { vcpus: 4 })], [aReport('h1', { vcpus: 6 }, 2), aReport('h1', { vcpus: 8 }, 3)])).toEqual([
      ['h1', 'INVENTORY', '', ['vcpus: 4 -> 8']],
    ])
  })

  test('a new status or a new reason of the status is a step with the reason, and an unchanged status is not a step', () => {
    const first = [aReport('h1')]
    expect(stepsAfter(first, [status('disk')])).toEqual([['h1', 'STATUS', 'disk', ['status: ENABLED -> DISABLED']]])
    expect(stepsAfter(first, [status('disk')], [status('fan')])).toEqual([['h1', 'STATUS', 'fan', []]])
    expect(stepsAfter(first, [status('disk')], [status('disk')])).toEqual([])
  })

  test('each change of the liveness of a host is a step with its reason', () => {
    const down = [liveness('DOWN', 'silent for 90 s')]
    expect(stepsAfter([aReport('h1')], down)).toEqual([['h1', 'LIVENESS', 'silent for 90 s', ['state: UP -> DOWN']]])
    expect(stepsAfter([aReport('h1')], down, [liveness('UP', '')])).toEqual([['h1', 'LIVENESS', '', ['state: DOWN -> UP']]])
  })

  test('an edit of an aggregate is the step JOINED, LEFT or EDITED for hosts that join, leave or stay', () => {
    const both = [aReport('h1'), aReport('h2'), aReport('h3')]
    expect(stepsAfter(both, [ssd({ availability_zone: 'z1' }, ['h1'])])).toEqual([
      ['h1', 'AGGREGATE_JOINED', '', ['availability_zone: null -> z1']],
    ])
    expect(
      stepsAfter(both, [ssd({ availability_zone: 'z1' }, ['h1', 'h2'])], [ssd({ availability_zone: 'z1', ssd: 'true' }, ['h2', 'h3'], 1)]),
    ).toEqual([
      ['h1', 'AGGREGATE_LEFT', '', ['availability_zone: z1 -> null']],
      ['h2', 'AGGREGATE_EDITED', '', ['metadata.ssd: null -> true']],
      ['h3', 'AGGREGATE_JOINED', '', ['availability_zone: null -> z1']],
    ])
  })

  test('hosts leave a deleted aggregate, and an edit of other members is not a step', () => {
    const both = [aReport('h1'), aReport('h2')]
    const gone: Change = { type: 'aggregate', uuid: aUuid(5), expectedVersion: 1, next: null }
    expect(stepsAfter(both, [ssd({}, ['h1'])], [gone])).toEqual([['h1', 'AGGREGATE_LEFT', '', []]])
    expect(stepsAfter(both, [ssd({}, ['h1'])], [ssd({}, ['h1', 'h2'], 1)])).toEqual([['h2', 'AGGREGATE_JOINED', '', []]])
  })

  test('claims and void changes are not steps', () => {
    expect(stepsAfter([aReport('h1', { vcpus: 4 })], [aClaim({ hosts: ['h1'], grants: { classes: { VCPU: 1 } } })])).toEqual([])
    const log = aLog()
    log.append([aReport('h1', {}, 2)])
    expect(log.append([aReport('h1', { vcpus: 9 }, 1), ssd({}, ['h1'], 7)])).toEqual(['report.stale', 'aggregate.version'])
    expect(hostStepsOf(log.fleet)).toEqual([])
  })
})
