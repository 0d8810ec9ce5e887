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
  ['a%2Fb', undefined, { host: 'a/b' }],
  ['a%2fb/n', undefined, { host: 'a/b', node: 'n' }],
  ['%20a', undefined, { host: ' a' }],
  ['50%', undefined, { host: '50%' }],
  ['%FF', undefined, { host: '%FF' }],
])('%s with --node %s', (text, node, name) => {
  expect(toHostName(text, node)).toEqual(name)
})

test('what commands print names the same host', () => {
  for (const host of [
    { name: 'a', node: 'a' },
    { name: 'a', node: 'n1' },
    { name: 'a', node: 'n/1' },
    { name: 'a/b', node: 'a/b' },
    { name: 'a/b', node: 'c' },
    { name: ' a', node: ' a' },
    { name: 'a', node: 'n ' },
    { name: '100%', node: '100%' },
    { name: 'a%2Fb', node: 'a%2Fb' },
    { name: '/', node: '/' },
  ]) {
    const { host: name, node = name } = toHostName(nameOf(host))
    expect({ name, node }).toEqual(host)
  }
})
