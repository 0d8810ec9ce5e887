import { createRandom } from '@gantt/scheduler-core'
import { expect, test } from 'vitest'
import { failingExamples } from './requests.ts'
import { busiestOf, linkLines } from './words.ts'

const links = {
  base: 'http://127.0.0.1:4000',
  key: `gantt_${'k'.repeat(32)}`,
  counts: { hosts: 100_000, aggregates: 8, claims: 12_345, decisions: 1 },
  failed: failingExamples(createRandom('1'), 6).map(({ sentence }, index) => ({
    sentence,
    decision: Buffer.from(`Decision:00000000-0000-4000-8000-00000000000${index}`).toString('base64url'),
  })),
  host: 'z1-r01-cmp-01',
  busiest: 'z1-r02-cmp-04',
  aggregate: '00000000-0000-4000-8000-000000000001',
  operations: {
    group: '00000000-0000-4000-8000-00000000000a',
    instances: [],
    emptied: 'z1-r01-cmp-06',
    silent: 'z2-r01-cmp-06',
  },
  rate: 2,
}

test('every line except those with URLs fits 80 columns', () => {
  for (const line of linkLines(links)) if (!line.includes('http')) expect(line.length, line).toBeLessThanOrEqual(80)
})

test('only the first link contains the key', () => {
  expect(linkLines(links).filter((line) => line.includes('#key='))).toEqual([
    `  ${links.base}/decisions/${links.failed[0]?.decision}#key=${links.key}`,
  ])
})

test('every failed decision has a link and a sentence, and the first one also a command', () => {
  const text = linkLines(links).join('\n')
  for (const { decision, sentence } of links.failed) {
    expect(text).toContain(`${links.base}/decisions/${decision}`)
    expect(text).toContain(sentence)
  }
  expect(text).toContain('npx gantt explain 00000000-0000-4000-8000-000000000000')
})

test('without a stream of requests, the text mentions no requests per second', () => {
  expect(linkLines({ ...links, rate: 0 }).join('\n')).not.toContain('per second')
})

test('the suggested evacuation is of the host with the most claims, and is omitted if there are no claims', () => {
  expect(linkLines(links).join('\n')).toContain('npx gantt host evacuate z1-r02-cmp-04 --dry-run')
  expect(linkLines({ ...links, busiest: undefined }).join('\n')).not.toContain('host evacuate')
  expect(busiestOf(['b', 'c', 'a', 'c', 'b'].map((host) => ({ host })))).toBe('b')
  expect(busiestOf([])).toBeUndefined()
})
