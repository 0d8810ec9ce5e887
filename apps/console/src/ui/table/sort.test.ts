import { parseSort, printSort } from '@gantt/scheduler-core/query'
import { describe, expect, it } from 'vitest'
import { nextSort } from './sort.ts'

const name = { key: 'name' }
const free = { key: 'mem.free', sortsDescending: true }

describe('a click on the head of a column', () => {
  it.each([
    ['sorts by the column', '', name, false, 'name'],
    ['sorts the largest first if that is the default of the column', '', free, false, '-mem.free'],
    ['reverses the order', 'name', name, false, '-name'],
    ['replaces several orders', '-mem.free,name', name, false, '-name'],
    ['appends the column to the other orders with Shift', 'name', free, true, 'name,-mem.free'],
    ['reverses the order in its position', 'name,-mem.free,age', free, true, 'name,mem.free,age'],
    ['removes the order at the third click with Shift', 'name,mem.free', free, true, 'name'],
    ['does not remove the only order', '-name', name, true, 'name'],
  ])('%s', (_name, before, column, isAdded, after) => {
    expect(printSort(nextSort(parseSort(before), column, isAdded))).toBe(after)
  })
})
