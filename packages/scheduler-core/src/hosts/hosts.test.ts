import { expect, test } from 'vitest'
import { aLog, aReport } from '../testing/index.ts'
import { hostOfKey } from './host-address.ts'

const log = aLog()
for (const [host, node] of [
  ['a', 'a'],
  ['a', 'b'],
  ['c/d', 'c/d'],
  ['e/f', 'g'],
  ['h', 'i/j'],
] as const)
  log.append([{ ...aReport(host, { instances: [] }), node }])

test.each([
  ['a', 'a', 'a'],
  ['a/b', 'a', 'b'],
  ['c/d', 'c/d', 'c/d'],
  ['e/f/g', 'e/f', 'g'],
  ['h/i/j', 'h', 'i/j'],
])('the key %s identifies the host %s with the node %s, although names may contain slashes', (key, host, node) => {
  expect(hostOfKey(log.fleet.hosts, key)).toMatchObject({ host, node })
})

test.each(['', 'b', 'a/', 'a/c', '/a', 'c', 'e/f'])('no host is found for the key %j', (key) => {
  expect(hostOfKey(log.fleet.hosts, key)).toBeUndefined()
})
