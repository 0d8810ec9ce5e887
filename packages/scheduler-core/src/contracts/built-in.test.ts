import { expect, test } from 'vitest'
import { nova } from '../nova/built-in.ts'
import { builtIn, registerBuiltIn } from './built-in.ts'

test('bundled.ts, which the test setup imports, has registered Nova', () => {
  expect(builtIn()).toBe(nova)
})

test('a core without a built-in package names the module to import', async () => {
  // the query in the import creates a second instance of the module, in which nothing is registered
  const copy = './built-in.ts?copy'
  const { builtIn: ofCopy }: { builtIn: typeof builtIn } = await import(copy)
  expect(() => ofCopy()).toThrow('no built-in package is registered; import bundled.ts')
})

test('registering a second built-in package is refused, and registering the same one again is not', () => {
  expect(() => registerBuiltIn(nova)).not.toThrow()
  expect(() => registerBuiltIn({ ...nova, name: 'other' })).toThrow('the built-in package nova is registered already')
  expect(builtIn()).toBe(nova)
})

test.each([
  ['filters', nova.filters, nova.rules.filters],
  ['weighers', nova.weighers, nova.rules.weighers],
])('every profile may name these %s, and so may profiles with compat: nova', (_list, named, ofCompat) => {
  const names = ofCompat.map(({ name }) => name)
  expect(named.map(({ name }) => name).filter((name) => !names.includes(name))).toEqual([])
})
