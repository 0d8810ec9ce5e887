import { atOnce } from '@gantt/scheduler-core'
import { aLog, aReport, aUuid } from '@gantt/scheduler-core/testing'
import { expect, test } from 'vitest'
import { countedList } from '../../testing/counted-list.ts'
import { compileAggregateQuery, findAggregates } from './aggregate-query.ts'

const log = aLog()
log.append(['h1', 'h2', 'h3'].map((host) => aReport(host)))
log.append(
  Object.entries({ ssd: ['h1', 'h2'], gpu: ['h3'], none: [] }).map(([name, hosts], i) => ({
    ...{ type: 'aggregate' as const, uuid: aUuid(i + 1), expectedVersion: 0 },
    next: { name, hosts, metadata: { availability_zone: name === 'gpu' ? 'z2' : 'z1', kind: name } },
  })),
)

test.each([
  ['', ['ssd', 'gpu', 'none']],
  ['host:h1', ['ssd']],
  ['host:h1 host:h2', ['ssd']],
  ['host:h1 host:h3', []],
  ['host:h1,h3', ['ssd', 'gpu']],
  ['host:h*', ['ssd', 'gpu']],
  ['-host:h1', ['gpu', 'none']],
  ['-host:h1 -host:h3', ['none']],
  ['host:h2 -host:h1', []],
  ['host:h2 -host:h3', ['ssd']],
  ['az:z1 -host:h9 value:ssd', ['ssd']],
  ['key:kind hosts>=1 -host:h1', ['gpu']],
  ['sd', ['ssd']],
])('%j finds the aggregates %j', (query, names) => {
  expect(atOnce(findAggregates(query, log.fleet)).map(({ name }) => name)).toEqual(names)
})

test('many terms about the hosts of an aggregate visit each host once, and other calls are answered meanwhile', () => {
  const { list: hosts, read } = countedList(Array.from({ length: 1_000 }, (_, i) => `m${i}`))
  const query = Array.from({ length: 40 }, (_, i) => `-host:no${i}`).join(' ')
  const isAsked = compileAggregateQuery(query, log.fleet)
  const aggregate = { ...log.fleet.aggregates.byUuid.get(aUuid(1)), hosts } as never
  const steps = isAsked(aggregate)
  let mostAtOnce = 0
  for (let before = 0; ; before = read.items) {
    const step = steps.next()
    mostAtOnce = Math.max(mostAtOnce, read.items - before)
    if (!step.done) continue
    expect(step.value).toBe(true)
    break
  }
  expect(read.items).toBe(1_000)
  expect(mostAtOnce).toBeLessThanOrEqual(64)
})
