import fs from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nameOf } from '../commands/host/hosts.ts'
import { toHostName } from './host-name.ts'

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
])('the argument %s with --node %s is parsed into host and node', (text, node, name) => {
  expect(toHostName(text, node)).toEqual(name)
})

test('a printed host name can be passed to a command and names the same host', () => {
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

test('for every node name, its printed form means only that node', () => {
  const names = fc.oneof(fc.constantFrom('a', 'a/b', ' a', '100%', 'a%2Fb'), fc.string({ minLength: 1, maxLength: 6 }))
  fc.assert(
    fc.property(names, names, fc.boolean(), (name, other, isNamedAsHost) => {
      const node = isNamedAsHost ? name : other
      expect(toHostName(nameOf({ name, node, hasOtherNodes: true }))).toEqual({ host: name, node })
      const alone = toHostName(nameOf({ name, node, hasOtherNodes: false }))
      expect({ node: alone.host, ...alone }).toEqual({ host: name, node })
    }),
  )
})

test('every document that selects the name and node of a host also selects hasOtherNodes, except documents for a project', () => {
  const folder = new URL('../commands/', import.meta.url)
  const files = fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith('demo'))
  const isWithout = (text: string): boolean =>
    /[{\s`]name node\b(?! hasOtherNodes)/.test(text) ||
    // without its node, the name would stand for all nodes of the host
    /\bhost \{ name \}/.test(text) ||
    /\bfromHost fromNode\b(?! fromHasOtherNodes)/.test(text) ||
    // Commands print only the sentence of a refusal's cause. The service has already put the host's name into this sentence.
    /(?<!admittedHosts )hostName node\b(?! (?:host \{ )?hasOtherNodes)/.test(text)
  expect(files.length).toBeGreaterThan(60)
  expect(files.filter((file) => isWithout(fs.readFileSync(new URL(file, folder), 'utf8')))).toEqual([])
})
