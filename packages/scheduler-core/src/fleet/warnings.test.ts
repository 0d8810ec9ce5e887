import { expect, test } from 'vitest'
import { aLog, aReport } from '../testing/index.ts'
import { FEATURE_LEVEL } from './change.ts'
import { atOnce, SLICE } from './steps.ts'
import { countWarnings } from './warnings.ts'

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
