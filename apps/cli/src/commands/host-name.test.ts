import { expect, test } from 'vitest'
import { toHostName } from './host-name.ts'
import { nameOf } from './hosts.ts'

test.each<[string, string | undefined, ReturnType<typeof toHostName>]>([
  ['rack1-a', undefined, { host: 'rack1-a' }],
  ['ironic-1/5a6b', undefined, { host: 'ironic-1', node: '5a6b' }],
  ['ironic-1/5a6b/x', undefined, { host: 'ironic-1', node: '5a6b/x' }],
  ['ironic-1', '5a6b', { host: 'ironic-1', node: '5a6b' }],
  ['a/b', 'c', { host: 'a/b', node: 'c' }],
  ['/a', undefined, { host: '/a' }],
  ['a/', undefined, { host: 'a/' }],
])('%s with --node %s', (text, node, name) => {
  expect(toHostName(text, node)).toEqual(name)
})

test('what commands print names the same host', () => {
  for (const host of [
    { name: 'a', node: 'a' },
    { name: 'a', node: 'n1' },
  ]) {
    const { host: name, node = name } = toHostName(nameOf(host))
    expect({ name, node }).toEqual(host)
  }
})
