import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SharedMap } from './shared-map.ts'

/** A shared map, and a plain Map that must have the same content. */
interface Side {
  readonly map: SharedMap<number>
  readonly model: Map<string, number>
}

const step = fc.record({
  act: fc.constantFrom('set', 'set', 'set', 'delete', 'delete', 'copy'),
  side: fc.nat(),
  key: fc.nat({ max: 40 }).map((key) => `key ${key}`),
})

function take(act: string, key: string, { map, model }: Side, value: number): void {
  if (act === 'delete') expect(map.delete(key)).toBe(model.delete(key))
  else {
    map.set(key, value)
    model.set(key, value)
  }
  expect([map.get(key), map.has(key), map.size]).toEqual([model.get(key), model.has(key), model.size])
}

test.each([1, 2])('copies of copies are independent, and each behaves like its own Map (seed %i)', (seed) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300, size: 'max' }), (steps) => {
      const sides: Side[] = [{ map: new SharedMap(), model: new Map() }]
      for (const [i, { act, side: choice, key }] of steps.entries()) {
        const side = sides[choice % sides.length] as Side
        if (act !== 'copy') take(act, key, side, i)
        else if (sides.length < 8) sides.push({ map: side.map.copy(), model: new Map(side.model) })
      }
      for (const { map, model } of sides) {
        expect(map.size).toBe(model.size)
        expect([...map]).toEqual([...model])
        expect([[...map.keys()], [...map.values()]]).toEqual([[...model.keys()], [...model.values()]])
      }
    }),
    { seed, numRuns: 100 },
  )
})

test('an iteration yields only present values and all keys that stay, each once, even if the map is written and copied meanwhile', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.array(step, { maxLength: 150, size: 'max' }), (before, steps) => {
      const side: Side = { map: new SharedMap(), model: new Map() }
      for (const [i, { act, key }] of before.entries()) {
        if (act === 'copy') side.map.copy()
        else take(act, key, side, i)
      }
      const untouched = new Set(side.model.keys())
      const seen = new Set<string>()
      const deleted = new Set<string>()
      const entries = side.map[Symbol.iterator]()
      for (const [i, { act, key }] of steps.entries()) {
        if (act === 'copy') side.map.copy()
        else {
          take(act, key, side, 1_000 + i)
          untouched.delete(key)
          if (act === 'delete') deleted.add(key)
        }
        const { value } = entries.next()
        if (value === undefined) continue
        expect(side.model.get(value[0])).toBe(value[1])
        // as in a Map, a key that was deleted and set again can be visited a second time
        if (!deleted.has(value[0])) expect(seen.has(value[0])).toBe(false)
        seen.add(value[0])
      }
      for (const [key] of entries) seen.add(key)
      expect([...untouched].filter((key) => !seen.has(key))).toEqual([])
    }),
    { seed: 1, numRuns: 100 },
  )
})

test('keys of a base that are deleted and set again, however many, are at the end of the order, in the map and in its copies', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 99 }), { minLength: 20, maxLength: 200, size: 'max' }), (keys) => {
      const model = new Map<string, number>(Array.from({ length: 400 }, (_, i) => [`key ${i}`, i]))
      const map = new SharedMap<number>()
      for (const [key, value] of model) map.set(key, value)
      map.copy()
      for (const [i, number] of keys.entries()) {
        const key = `key ${number}`
        expect([map.delete(key), model.delete(key)]).toEqual([true, true])
        map.set(key, 1_000 + i)
        model.set(key, 1_000 + i)
        expect(map.size).toBe(model.size)
      }
      expect([...map]).toEqual([...model])
      expect([...map.copy()]).toEqual([...model])
    }),
    { seed: 1, numRuns: 50 },
  )
})
