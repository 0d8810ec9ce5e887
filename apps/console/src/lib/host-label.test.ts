import fs from 'node:fs'
import { expect, test } from 'vitest'
import { hostLabel, labelOfHost } from './host-label.ts'

test.each([
  [{ host: 'a', node: 'a' }, 'a'],
  [{ host: 'a', node: 'a', hasOtherNodes: false }, 'a'],
  [{ host: 'a', node: 'a', hasOtherNodes: true }, 'a/a'],
  [{ host: 'a', node: 'b' }, 'a/b'],
  [{ host: 'a', node: 'b', hasOtherNodes: true }, 'a/b'],
])('%o is shown as %s, which means only this node', ({ host, ...names }, label) => {
  expect(hostLabel({ host, ...names })).toBe(label)
  expect(labelOfHost({ name: host, ...names })).toBe(label)
})

/**
 * If a host has several nodes, and one of them has the name of the host, HOST alone would mean all nodes. The page then shows HOST/NODE.
 */
test('every GraphQL document that selects the name and the node of a host also selects `hasOtherNodes`', () => {
  const folder = new URL('../', import.meta.url)
  const files = fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    // documents in other files are not checked: they are for copied text, which always contains the name and the node
    .filter((file) => /(documents|explanation|palette-found)\.tsx?$/.test(file))
  const isWithout = (text: string): boolean =>
    /[{\s`]name node\b(?! hasOtherNodes)/.test(text) ||
    // The names that the lookbehind excludes are keys of links. They are not shown.
    /(?<!(?:verdict \{\s+|text |host ))hostName node\b(?! (?:host \{ )?hasOtherNodes)/.test(text)
  expect(files.length).toBeGreaterThan(8)
  expect(files.filter((file) => isWithout(fs.readFileSync(new URL(file, folder), 'utf8')))).toEqual([])
})
