import { expect, test } from 'vitest'
import { flavorsOf, MAX_PINS, type Pin, pinsOf, printPins } from './pins.ts'

const pin = (name: string, vcpus = 1): Pin => ({ name, vcpus, memoryMb: 512, rootGb: 0, ephemeralGb: 0, swapMb: 0, extraSpecs: [] })
const asked = (name: string, decisions: number) => ({ ...pin(name), decisions })

test('pins that are printed to the URL are read back unchanged', () => {
  const pins = [pin('a'), { ...pin('b'), name: null, extraSpecs: [{ key: 'hw:x', value: '1' }] }]
  expect(pinsOf(printPins(pins) ?? '')).toEqual(pins)
  expect(printPins([])).toBeUndefined()
})

test.each([
  ['no JSON', '[{'],
  ['no list', '{"name":"a"}'],
  ['an invalid amount', JSON.stringify([{ ...pin('a'), vcpus: -1 }])],
  ['an invalid name', JSON.stringify([{ ...pin('a'), name: 3 }])],
  ['invalid extra specs', JSON.stringify([{ ...pin('a'), extraSpecs: [{ key: 'x' }] }])],
])('%s does not count as a pin', (_name, text) => {
  expect(pinsOf(text)).toEqual([])
})

test('a flavor can be pinned only once, and the count of pins is limited', () => {
  expect(pinsOf(JSON.stringify([pin('a'), pin('a'), pin('a', 2)]))).toEqual([pin('a'), pin('a', 2)])
  expect(pinsOf(JSON.stringify(Array.from({ length: 20 }, (_, i) => pin(String(i)))))).toHaveLength(MAX_PINS)
})

test('pinned flavors come first, and the most requested ones fill the remaining rows', () => {
  const all = [asked('a', 9), asked('b', 5), asked('c', 1)]
  const names = (pins: readonly Pin[], rows: number) => flavorsOf(pins, all, rows).map((one) => `${one.pin.name}${one.isPinned ? '*' : ''}`)
  expect(names([], 2)).toEqual(['a', 'b'])
  expect(names([pin('b')], 2)).toEqual(['b*', 'a'])
  expect(names([pin('z'), pin('b'), pin('y')], 2)).toEqual(['z*', 'b*', 'y*'])
})
