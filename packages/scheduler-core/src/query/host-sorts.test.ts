import { expect, it } from 'vitest'
import { reportedFields } from './host-field-lists.ts'
import { hostFields } from './host-fields.ts'
import { classOrderFields, hostOrdersOf, hostSorts, isHostSort } from './host-sorts.ts'
import { parseSort } from './sort.ts'

const ordersOf = (text: string) => hostOrdersOf(parseSort(text).filter(isHostSort))

it('sorts hosts only by fields of the filter grammar', () => {
  expect(hostSorts.filter((sort) => !hostFields.some(({ name }) => name === sort))).toEqual([])
})

it('adds a resource class to an order if and only if the API needs one', () => {
  for (const order of ordersOf(hostSorts.join()))
    expect([order, order.resourceClass !== undefined]).toEqual([order, classOrderFields.some((field) => field === order.field)])
})

it('converts sort keys to orders of the API in the same sequence, and drops unknown keys', () => {
  expect(ordersOf('az,-mem.free,colour,age,-host')).toEqual([
    { field: 'AVAILABILITY_ZONE', direction: 'ASC' },
    { field: 'FREE', resourceClass: 'MEMORY_MB', direction: 'DESC' },
    // Descending order of the report time puts the newest report first.
    { field: 'LAST_REPORT', direction: 'DESC' },
    { field: 'NAME', direction: 'DESC' },
  ])
})

it('sorts hosts by each field that they report about their machine, in an order with the name of its column', () => {
  const asked = reportedFields.map(({ name }) => `-${name}`).join()
  expect(ordersOf(asked)).toEqual(reportedFields.map(({ column }) => ({ field: column, direction: 'DESC' })))
})
