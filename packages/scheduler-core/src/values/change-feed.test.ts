import { expect, test } from 'vitest'
import { ChangeFeed } from './change-feed.ts'
import type { HostIndex } from './host-index.ts'

const after = (feed: ChangeFeed, count: number): readonly number[] | 'lost' => {
  const hosts: number[] = []
  return feed.eachAfter(count, (host) => void hosts.push(host)) ? hosts : 'lost'
}

test('a reader gets the hosts that changed since it last read, in order and with repetitions', () => {
  const feed = new ChangeFeed()
  for (const host of [3, 1, 3]) feed.add(host as HostIndex)
  expect(after(feed, 0)).toEqual([3, 1, 3])
  expect(after(feed, 2)).toEqual([3])
  expect(after(feed, feed.count)).toEqual([])
})

test('a feed keeps the last 65,536 changes, and says so if a reader is further behind', () => {
  const feed = new ChangeFeed()
  for (let i = 0; i < 65_536; i++) feed.add(i as HostIndex)
  expect(after(feed, 0)).toHaveLength(65_536)
  feed.add(7 as HostIndex)
  expect(after(feed, 0)).toBe('lost')
  const kept = after(feed, 1)
  expect(kept).toHaveLength(65_536)
  expect(kept.at(0)).toBe(1)
  expect(kept.at(-1)).toBe(7)
})
