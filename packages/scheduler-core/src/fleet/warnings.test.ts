import { expect, test } from 'vitest'
import { aLog, aReport } from '../testing/index.ts'
import { FEATURE_LEVEL } from './change.ts'
import { atOnce, SLICE } from './steps.ts'
import { countWarnings, warningText } from './warnings.ts'

test('warnings of a large fleet are counted in steps, and all of them', () => {
  const log = aLog()
  const hosts = 2 * SLICE + 1
  const list = (host: number) => (host % 2 === 0 ? { instances: [] } : {})
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, ...Array.from({ length: hosts }, (_, host) => aReport(`h${host}`, list(host)))])
  expect(atOnce(countWarnings(log.fleet))).toEqual(
    new Map([
      ['use.below_claims', 0],
      ['use.no_instances', SLICE],
    ]),
  )
  expect([...countWarnings(log.fleet)]).toHaveLength(2)
})

test.each([
  [0, 'so each claim on it counts in full'],
  [1, 'so its 1 live claim counts in full'],
  [2, 'so its 2 live claims count in full'],
])('a host that lists no instances and has %i claims is warned of in words that are true of it', (held, words) => {
  expect(warningText({ code: 'use.no_instances', subject: 'instances', reported: null, held })).toContain(words)
})
