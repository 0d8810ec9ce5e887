import fc from 'fast-check'
import { expect, test } from 'vitest'
import { aLog, aReport } from '../testing/index.ts'
import type { HostIndex } from '../values/host-index.ts'
import { hostOfKey } from './host-address.ts'
import { HostNames, type Named } from './names.ts'

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

/** Few names, so that hosts often have names in common. One contains the character that separates names in the keys of the index. */
const texts = ['a', 'b', 'a\u0000b', 'c'] as const
const text = fc.constantFrom(...texts)
const moves = fc.array(
  fc.record({ index: fc.nat({ max: 4 }), host: text, node: fc.oneof(fc.constant(undefined), text), copies: fc.boolean() }),
  { maxLength: 40 },
)

test('hosts are found by any names, after any changes of names', () => {
  fc.assert(
    fc.property(moves, (steps) => {
      let names = new HostNames()
      const present = new Map<number, Named>()
      for (const { index, host, node = host, copies } of steps) {
        const known = present.get(index)
        if (known !== undefined) {
          names.leave(known)
          present.delete(index)
        }
        const isTaken = [...present.values()].some((other) => other.host === host && other.node === node)
        // the name with the separator is ambiguous only in names of hosts with several nodes, which are left out here
        if (!isTaken && (host === node || !host.includes('\u0000'))) {
          const named: Named = { index: index as HostIndex, host, node, gone: null, formerNames: [] }
          names.enter(named)
          present.set(index, named)
        }
        if (copies) names = names.copy()
        for (const name of texts) {
          const expected = [...present.values()].filter((one) => one.host === name).map((one) => one.index)
          expect(names.nodesOf(name)).toEqual(expected.sort((a, b) => a - b))
          for (const other of texts) {
            if (name !== other && name.includes('\u0000')) continue
            const found = [...present.values()].find((one) => one.host === name && one.node === other)
            expect(names.find({ host: name, node: other })).toBe(found?.index)
          }
        }
      }
    }),
    { seed: 1, numRuns: 300 },
  )
})
