import { expect, test } from 'vitest'
import { nova } from '../nova/built-in.ts'
import { builtIn, registerBuiltIn } from './built-in.ts'

test('bundled.ts, which tests load too, has registered Nova', () => {
  expect(builtIn()).toBe(nova)
})

test('a core without the package says what to load', async () => {
  // the query in the import makes this another instance of the module, in which nothing is registered
  const copy = './built-in.ts?copy'
  const { builtIn: ofCopy }: { builtIn: typeof builtIn } = await import(copy)
  expect(() => ofCopy()).toThrow('no built-in package is registered; import bundled.ts')
})

test('one package is registered: a second one is refused, the same one is not', () => {
  expect(() => registerBuiltIn(nova)).not.toThrow()
  expect(() => registerBuiltIn({ ...nova, name: 'other' })).toThrow('the built-in package nova is registered already')
  expect(builtIn()).toBe(nova)
})

test.each([
  ['filters', nova.filters, nova.rules.filters],
  ['weighers', nova.weighers, nova.rules.weighers],
])('the %s that every profile may name are among those of compat: nova', (_list, named, ofCompat) => {
  const names = ofCompat.map(({ name }) => name)
  expect(named.map(({ name }) => name).filter((name) => !names.includes(name))).toEqual([])
})
