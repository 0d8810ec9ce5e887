import { FEATURE_LEVEL } from '@gantt/scheduler-core'
import { aDocument, aLog, aReport } from '@gantt/scheduler-core/testing'
import { expect, test } from 'vitest'
import { collectorViews } from './host-collectors.ts'
import { viewHost } from './host-view.ts'

const COLLECTED = '2026-11-20T11:00:00.000Z'
const REPORTED = '2026-11-20T11:30:00.000Z'
const NOW = Date.parse('2026-11-20T12:00:00.000Z')

/** When the last good document of a collector in this state was collected, as the API answers. */
function lastGoodOf(state: string, { isReported, lastGoodAt }: { readonly isReported: boolean; readonly lastGoodAt?: string }) {
  const log = aLog()
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('h1')], { at: NOW - 3_600_000 })
  if (isReported) log.append([aDocument('h1', 'storage', { pools: [] })], { at: Date.parse(REPORTED) })
  const collector = { name: 'mine', namespace: 'storage', state, since: REPORTED, ...(lastGoodAt !== undefined && { lastGoodAt }) }
  log.append([aDocument('h1', 'collectors', { collectors: [collector] })], { at: NOW })
  const [record] = log.fleet.hosts.records
  if (record === undefined) throw new Error('the host is not in the fleet')
  return collectorViews(viewHost(log.fleet, record), NOW).map((one) => one.lastGoodAt)
}

test.each(['WAITING', 'PAUSED', 'FAILING'])(
  'if the agent of a collector that is %s does not know its last good document, it is the one that the service has',
  (state) => {
    expect(lastGoodOf(state, { isReported: true })).toEqual([REPORTED])
    expect(lastGoodOf(state, { isReported: true, lastGoodAt: COLLECTED })).toEqual([COLLECTED])
    expect(lastGoodOf(state, { isReported: false })).toEqual([null])
  },
)

test.each(['SENDING', 'SLOWED'])('the last good document of a collector that is %s is the present one', (state) => {
  expect(lastGoodOf(state, { isReported: true })).toEqual([null])
})
