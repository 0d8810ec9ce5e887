import { expect, test } from 'vitest'
import { nova } from '../nova/built-in.ts'
import { builtIn, registerBuiltIn } from './built-in.ts'

test('the test setup imports bundled.ts, which registers Nova as the built-in package', () => {
  expect(builtIn()).toBe(nova)
})

test('without a registered built-in package, the error names the module to import', async () => {
  // the query in the path makes the import create a second instance of the module, in which no package is registered
  const copy = './built-in.ts?copy'
  const { builtIn: ofCopy }: { builtIn: typeof builtIn } = await import(copy)
  expect(() => ofCopy()).toThrow('no built-in package is registered; import bundled.ts')
})

test('registering another built-in package is refused, and registering the same package twice is accepted', () => {
  expect(() => registerBuiltIn(nova)).not.toThrow()
  expect(() => registerBuiltIn({ ...nova, name: 'other' })).toThrow('the built-in package nova is registered already')
  expect(builtIn()).toBe(nova)
})

test.each([
  ['filters', nova.filters, nova.rules.filters],
  ['weighers', nova.weighers, nova.rules.weighers],
])('profiles with compat: nova can name all %s of the package that every profile can name', (_list, named, ofCompat) => {
  const names = ofCompat.map(({ name }) => name)
  expect(named.map(({ name }) => name).filter((name) => !names.includes(name))).toEqual([])
})
