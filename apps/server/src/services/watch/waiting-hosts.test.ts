import { expect, test } from 'vitest'
import { createWaitingHosts, type HostEvent } from './waiting-hosts.ts'

/** Counts how many times a host of an event is read. */
let reads = 0

/** The event of a change of host `index`. Each has a record of its own, as after a copy of the fleet. */
const anEvent = (index: number, revision: number): HostEvent => ({
  revision,
  gap: null,
  get host() {
    reads++
    return { record: { index } } as never
  },
})

/** Everything that waits, as `index@revision`, or as the revisions of a gap. */
function takeAll({ take }: ReturnType<typeof createWaitingHosts>): string[] {
  const all: string[] = []
  for (let event = take(); event !== undefined; event = take())
    all.push(event.gap ? `${event.gap.missedFrom}-${event.gap.resumeAt}` : `${event.host?.record.index}@${event.revision}`)
  return all
}

test('each host waits once, with its last change, in the order of these changes', () => {
  const waiting = createWaitingHosts(3)
  for (const [revision, index] of [1, 2, 3, 1, 2].entries()) waiting.add(anEvent(index, revision))
  expect(takeAll(waiting)).toEqual(['3@2', '1@3', '2@4'])
  waiting.add(anEvent(1, 5))
  expect(takeAll(waiting)).toEqual(['1@5'])
})

test('if too many hosts wait, one event says which changes are missing, until it is read', () => {
  const waiting = createWaitingHosts(3)
  for (let i = 1; i <= 6; i++) waiting.add(anEvent(i, i))
  expect(takeAll(waiting)).toEqual(['1-6'])
  waiting.add(anEvent(7, 7))
  expect(takeAll(waiting)).toEqual(['7@7'])
  for (let i = 1; i <= 4; i++) waiting.add(anEvent(i, i))
  waiting.clear()
  expect(takeAll(waiting)).toEqual([])
})

test('the work for a slow reader is linear in the number of changed hosts', () => {
  const waiting = createWaitingHosts(10_000)
  reads = 0
  for (let i = 0; i < 10_000; i++) waiting.add(anEvent(i, i))
  expect(reads).toBeLessThanOrEqual(4 * 10_000)
  expect(takeAll(waiting)).toHaveLength(10_000)
})
