import { expect, test, vi } from 'vitest'
import { copyFleet } from '../fleet/copy.ts'
import { aClaim, aLog, aReport, aUuid } from '../testing/index.ts'

test('writing a host of a copied fleet clones the record with the data of resource kinds, and adds nothing to a map of all hosts', () => {
  const log = aLog()
  const shape = {
    gpus: [{ index: 0, model: null, usedMilli: null }],
    numaCells: [{ id: 0, cpuset: [0, 1, 2, 3], memoryMb: 32 }],
    pciPools: [{ vendorId: 'v', productId: 'p', total: 2 }],
  }
  log.append([{ type: 'feature', level: 10 }, ...Array.from({ length: 20 }, (_, i) => aReport(`h${i}`, shape))])
  const grants = { classes: { VCPU: 1 }, gpu: [{ index: 0, milli: 500 }] }
  log.append([aClaim({ hosts: ['h3'], grants, instances: [aUuid(1)] })])
  const copy = copyFleet(log.fleet)
  const entries = vi.spyOn(WeakMap.prototype, 'set')
  const written = copy.hosts.records.map(({ index }) => copy.hosts.own(index))
  const { length: added } = entries.mock.calls
  entries.mockRestore()
  expect(added).toBe(0)
  expect(written[3]?.gpus).toMatchObject([{ freeMilli: 500 }])
  expect(written.every((record) => record !== log.fleet.hosts.get(record.index))).toBe(true)
})
