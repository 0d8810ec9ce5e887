import { expect, test } from 'vitest'
import { toPluginLines, type WithPlugins } from './plugin-lines.ts'

const rack = { name: 'rack', version: '1.1.0' }
const replica = (id: string, plugins: WithPlugins['plugins'], answers = false): WithPlugins => ({ id, answers, plugins })

test('each plug-in of a replica has a row with its version', () => {
  const lines = toPluginLines([
    replica('a/1/1', [rack, { name: 'power', version: '2.0.0' }], true),
    replica('b/1/1', []),
    replica('c/1/1', null),
  ])
  expect(lines.slice(1).map((line) => line.split(/ {2,}/))).toEqual([
    ['a/1/1 *', 'rack', '1.1.0'],
    ['a/1/1 *', 'power', '2.0.0'],
    ['b/1/1', '-', '-'],
    ['c/1/1', '?', '?'],
  ])
})

test('if no replica has plug-ins, one sentence says so', () => {
  expect(toPluginLines([replica('a/1/1', []), replica('b/1/1', [])])).toEqual(['No live replica has loaded plug-ins.'])
})

test('the table fits 80 columns', () => {
  const long = replica('a-rather-long-name-of-a-machine-in-a-rack/4294967/5f3e', [
    { name: 'a-plug-in-with-a-long-name', version: '10.20.30' },
  ])
  for (const line of toPluginLines([long], { columns: 80, isTerminal: true })) expect(line.length).toBeLessThanOrEqual(80)
})
