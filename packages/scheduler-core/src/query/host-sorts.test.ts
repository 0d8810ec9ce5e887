import { expect, it } from 'vitest'
import { hostFields } from './host-fields.ts'
import { classOrderFields, hostOrdersOf, hostSorts, isHostSort } from './host-sorts.ts'
import { parseSort } from './sort.ts'
import { toldFields } from './told-fields.ts'

const ordersOf = (text: string) => hostOrdersOf(parseSort(text).filter(isHostSort))

it('orders by the fields that the filter grammar has', () => {
  expect(hostSorts.filter((sort) => !hostFields.some(({ name }) => name === sort))).toEqual([])
})

it('names a resource class where the API wants one, and nowhere else', () => {
  for (const order of ordersOf(hostSorts.join()))
    expect([order, order.resourceClass !== undefined]).toEqual([order, classOrderFields.includes(order.field)])
})

it('asks for the words of the line, in their order', () => {
  expect(ordersOf('az,-mem.free,colour,age,-host')).toEqual([
    { field: 'AVAILABILITY_ZONE', direction: 'ASC' },
    { field: 'FREE', resourceClass: 'MEMORY_MB', direction: 'DESC' },
    // the youngest report first
    { field: 'LAST_REPORT', direction: 'DESC' },
    { field: 'NAME', direction: 'DESC' },
  ])
})

it('orders by each thing that hosts tell of themselves, under its own name', () => {
  const asked = toldFields.map(({ name }) => `-${name}`).join()
  expect(ordersOf(asked)).toEqual(toldFields.map(({ column }) => ({ field: column, direction: 'DESC' })))
})
