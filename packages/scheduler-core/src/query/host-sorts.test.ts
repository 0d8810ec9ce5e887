import { expect, it } from 'vitest'
import { reportedFields } from './host-field-lists.ts'
import { hostFields } from './host-fields.ts'
import { classOrderFields, hostOrdersOf, hostSorts, isHostSort } from './host-sorts.ts'
import { parseSort } from './sort.ts'

const ordersOf = (text: string) => hostOrdersOf(parseSort(text).filter(isHostSort))

it('has an order only for fields of the filter grammar', () => {
  expect(hostSorts.filter((sort) => !hostFields.some(({ name }) => name === sort))).toEqual([])
})

it('names a resource class only if the API needs one', () => {
  for (const order of ordersOf(hostSorts.join()))
    expect([order, order.resourceClass !== undefined]).toEqual([order, classOrderFields.some((field) => field === order.field)])
})

it('converts the keys of a line to orders of the API, in the same sequence, without unknown keys', () => {
  expect(ordersOf('az,-mem.free,colour,age,-host')).toEqual([
    { field: 'AVAILABILITY_ZONE', direction: 'ASC' },
    { field: 'FREE', resourceClass: 'MEMORY_MB', direction: 'DESC' },
    // Descending order of the report time puts the newest report first.
    { field: 'LAST_REPORT', direction: 'DESC' },
    { field: 'NAME', direction: 'DESC' },
  ])
})

it('has an order for each field that hosts report about their machine, with the name of the column', () => {
  const asked = reportedFields.map(({ name }) => `-${name}`).join()
  expect(ordersOf(asked)).toEqual(reportedFields.map(({ column }) => ({ field: column, direction: 'DESC' })))
})
