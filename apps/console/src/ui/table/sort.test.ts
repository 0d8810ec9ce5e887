import { parseSort, printSort } from '@gantt/scheduler-core/query'
import { describe, expect, it } from 'vitest'
import { nextSort } from './sort.ts'

const name = { key: 'name' }
const free = { key: 'mem.free', sortsDescending: true }

describe('a click on the head of a column', () => {
  it.each([
    ['orders by it', '', name, false, 'name'],
    ['orders by the largest first, if that is the usual order', '', free, false, '-mem.free'],
    ['reverses the order', 'name', name, false, '-name'],
    ['takes the place of several', '-mem.free,name', name, false, '-name'],
    ['comes after the others', 'name', free, true, 'name,-mem.free'],
    ['reverses the order in its position', 'name,-mem.free,age', free, true, 'name,mem.free,age'],
    ['is removed by the third click', 'name,mem.free', free, true, 'name'],
    ['stays where it is the only one', '-name', name, true, 'name'],
  ])('%s', (_name, before, column, isAdded, after) => {
    expect(printSort(nextSort(parseSort(before), column, isAdded))).toBe(after)
  })
})
