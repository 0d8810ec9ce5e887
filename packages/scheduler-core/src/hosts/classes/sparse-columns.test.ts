import { describe, expect, test } from 'vitest'
import { audit } from '../../audit/audit.ts'
import { checkpointOf, restoreFleet } from '../../fleet/checkpoint.ts'
import { copyFleet } from '../../fleet/copy.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { forget } from '../../fleet/testing/leaving.ts'
import { FEATURE_LEVEL } from '../../records/change.ts'
import { aClaim, aLog, aReport, type TestLog } from '../../testing/index.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { ColumnMemory } from '../column-memory.ts'
import { ClassTable } from './class-table.ts'
import { classRow, classValue, SparseColumns, setClassValue } from './sparse-columns.ts'

const HOSTS = 600
const LAST = (HOSTS - 1) as HostIndex
const RARE = 'CUSTOM_RARE'

const shape = (...totals: readonly (readonly [string, number])[]) => ({
  instances: [],
  inventories: totals.map(([resourceClass, total]) => ({ resourceClass, total })),
})

function aLogOf(hosts: number): TestLog {
  const log = aLog()
  log.append([{ type: 'feature', level: FEATURE_LEVEL }])
  log.append(Array.from({ length: hosts }, (_, i) => aReport(`h${i}`, { instances: [] })))
  return log
}

const columnsOf = ({ hosts }: Fleet, name = RARE) => hosts.classes.get(name)
const findingsIn = (fleet: Fleet) => [...audit(fleet)].flatMap(({ findings }) => findings)

describe('a resource class that few hosts have', () => {
  test('has no value in memory for the other hosts, even in a copy, and its values do not change when it becomes frequent or rare', () => {
    const log = aLogOf(HOSTS)
    expect(log.fleet.hosts.denseClassCount).toBe(3)
    const bound = HOSTS / 10
    for (let i = 0; i < bound; i++) {
      log.append([aReport(`h${i}`, shape([RARE, i + 1]), 2)])
      expect(columnsOf(log.fleet) instanceof SparseColumns, `${i + 1} hosts`).toBe((i + 1) * 16 < 1_024)
    }
    const capacities = () => Array.from({ length: bound + 1 }, (_, i) => classValue(columnsOf(log.fleet), 'capacity', i as HostIndex))
    const expected = [...Array.from({ length: bound }, (_, i) => i + 1), 0]
    expect(capacities()).toEqual(expected)
  })

  test('becomes dense with many hosts and sparse again with few', () => {
    const log = aLogOf(HOSTS)
    const isSparse = () => columnsOf(log.fleet) instanceof SparseColumns
    const report = (count: number, total: number, sequence: number) =>
      log.append(Array.from({ length: count }, (_, i) => aReport(`h${i}`, total === 0 ? shape() : shape([RARE, total]), sequence)))
    report(100, 4, 2)
    expect(isSparse()).toBe(false)
    report(90, 0, 3)
    expect(isSparse()).toBe(true)
    expect([89, 90, 99, 100].map((i) => classValue(columnsOf(log.fleet), 'free', i as HostIndex))).toEqual([0, 4, 4, 0])
    expect(columnsOf(log.fleet)?.free[95]).toBe(4)
    expect(findingsIn(log.fleet)).toEqual([])
  })

  test('a copy of the fleet and the fleet do not see each other’s later changes; a copy and a report write only the hosts of the class', () => {
    const log = aLogOf(HOSTS)
    const last = `h${LAST}`
    log.append([aReport(last, shape([RARE, 4]), 2), aReport('h0', shape([RARE, 6]), 2)])
    const copy = copyFleet(log.fleet)
    // a whole column that was read before is updated by later writes
    const { free, total } = columnsOf(log.fleet) as SparseColumns
    expect([free[LAST], free[0], total[LAST], free.length]).toEqual([4, 6, 4, 1_024])
    log.append([aReport(last, shape([RARE, 9]), 3)])
    expect(log.append([aClaim({ hosts: [last], grants: { classes: { [RARE]: 2 } } })])).toEqual([undefined])
    expect([free[LAST], total[LAST]]).toEqual([7, 9])
    expect([log.fleet, copy].map((fleet) => classValue(columnsOf(fleet), 'free', LAST))).toEqual([7, 4])
    // a fleet from a checkpoint has the same values
    const restored = restoreFleet(JSON.parse(JSON.stringify(checkpointOf(log.fleet))))
    for (const host of [0 as HostIndex, LAST]) {
      const rows = [log.fleet, restored].map((fleet) => classRow(columnsOf(fleet) ?? expect.fail('the class is gone'), host))
      expect(rows[1]).toEqual(rows[0])
    }
    log.append([aReport('h0', shape(), 3), forget('h5')])
    expect([log.fleet, copy].map((fleet) => classValue(columnsOf(fleet), 'reported', 0 as HostIndex))).toEqual([0, 1])
    expect(findingsIn(log.fleet)).toEqual([])
  })

  test('the fleet grows: classes that then have few hosts become sparse, and sparse columns get more hosts', () => {
    const log = aLogOf(200)
    log.append([aReport('h7', shape([RARE, 5]), 2)])
    expect(columnsOf(log.fleet) instanceof SparseColumns).toBe(false)
    log.append(Array.from({ length: 400 }, (_, i) => aReport(`n${i}`, { instances: [] })))
    const columns = columnsOf(log.fleet)
    expect([columns instanceof SparseColumns, columns?.free[7], columns?.free.length]).toEqual([true, 5, 1_024])
    log.append(Array.from({ length: 600 }, (_, i) => aReport(`m${i}`, { instances: [] })))
    expect([columnsOf(log.fleet)?.free[7], columnsOf(log.fleet)?.free.length]).toEqual([5, 2_048])
    expect(findingsIn(log.fleet)).toEqual([])
  })
})

test('256 classes of one host take no column memory, in a table and in its copy', () => {
  const size = 16_384
  const host = 9_999 as HostIndex
  const table = new ClassTable(size)
  const writeAll = (of: ClassTable, total: number): void => {
    for (let i = 0; i < 256; i++)
      of.write(`CUSTOM_${i}`, host, (columns) => {
        setClassValue(columns, 'total', host, total)
        setClassValue(columns, 'reported', host, 1)
      })
  }
  writeAll(table, 1)
  expect([table.inUse.size, table.denseCount, table.bytes]).toEqual([256, 0, 0])
  const copy = new ClassTable(64)
  copy.takeCopy(table, new ColumnMemory(0))
  writeAll(table, 2)
  expect([table, copy].map(({ inUse }) => classValue(inUse.get('CUSTOM_9'), 'total', host))).toEqual([2, 1])
  expect([copy.inUse.size, copy.denseCount, copy.bytes]).toEqual([256, 0, 0])
})
