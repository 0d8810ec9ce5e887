import { expect, test } from 'vitest'
import { aFleet } from '../testing/index.ts'

const traitsOf = (fleet: ReturnType<typeof aFleet>, host: string) => fleet.hosts.find({ host, node: host })?.traits

test('hosts that report the same traits share one set of traits', () => {
  const fleet = aFleet({ h1: { traits: ['A', 'B'] }, h2: { traits: ['A', 'B'] }, h3: { traits: ['A'] } })
  expect(traitsOf(fleet, 'h2')).toBe(traitsOf(fleet, 'h1'))
  expect(traitsOf(fleet, 'h3')).toEqual(new Set(['A']))
})

test('a trait name can contain a comma', () => {
  const fleet = aFleet({ h1: { traits: ['A,B'] }, h2: { traits: ['A', 'B'] }, h3: { traits: ['A,B'] }, h4: { traits: [] } })
  expect(['h1', 'h2', 'h3', 'h4'].map((host) => [...(traitsOf(fleet, host) ?? [])])).toEqual([['A,B'], ['A', 'B'], ['A,B'], []])
})

test('hosts with different traits have different sets of traits, even if there are too many sets to share', () => {
  const shapes = Object.fromEntries(Array.from({ length: 1_500 }, (_, i) => [`h${i}`, { traits: [`T${i}`, 'ALL'] }]))
  const fleet = aFleet({ ...shapes, again: { traits: ['T3', 'ALL'] } })
  for (const [host, { traits }] of Object.entries(shapes)) expect(traitsOf(fleet, host)).toEqual(new Set(traits))
  expect(traitsOf(fleet, 'again')).toEqual(new Set(['T3', 'ALL']))
})
