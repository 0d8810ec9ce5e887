import { expect, test } from 'vitest'
import { filters, weighers } from '../bundled.ts'
import { novaFilters } from '../nova/filters/index.ts'
import { novaWeighers } from '../nova/weighers/index.ts'
import { levelOfPart, partLevels } from './part-levels.ts'

test('every filter, weigher and scheduler of the release has a level, and no other name has a level', () => {
  const names = new Set([...filters, ...weighers, ...novaFilters, ...novaWeighers].map(({ name }) => name))
  expect([...partLevels.keys()].sort()).toEqual([...names].sort())
})

test.each([
  ['RamFilter', 1],
  ['PCIWeigher', 3],
  ['PortAffinityWeigher', 5],
  ['DiskPoolFilter', 6],
  ['WattsFilter', 7],
])('a profile that names %s needs feature level %i', (name, level) => expect(levelOfPart(name)).toBe(level))
