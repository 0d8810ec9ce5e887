import { parseSort, printSort } from '@gantt/scheduler-core/query'
import { describe, expect, it } from 'vitest'
import { nextSort } from './sort.ts'

const name = { key: 'name' }
const free = { key: 'mem.free', sortsDescending: true }

describe('a click on the head of a column', () => {
  it.each([
    ['orders by it', '', name, false, 'name'],
    ['orders by the largest first, where that is asked for most', '', free, false, '-mem.free'],
    ['turns its order', 'name', name, false, '-name'],
    ['takes the place of several', '-mem.free,name', name, false, '-name'],
    ['comes after the others', 'name', free, true, 'name,-mem.free'],
    ['turns its order in its place', 'name,-mem.free,age', free, true, 'name,mem.free,age'],
    ['goes at the third', 'name,mem.free', free, true, 'name'],
    ['stays where it is the only one', '-name', name, true, 'name'],
  ])('%s', (_name, before, column, isAdded, after) => {
    expect(printSort(nextSort(parseSort(before), column, isAdded))).toBe(after)
  })
})
