import type { Awaitable } from './driver.ts'

/**
 * Sends items in order, `width` of them at once. An item is sent once all items before it are done, except for at most `width - 1`. So at
 * most `width - 1` later items overtake an item. With a width of 1, items are sent strictly one after the other. After a failure nothing
 * more is sent, and the first error is thrown once all calls in progress have ended.
 */
export async function sendInWindow<Item>(
  items: readonly Item[],
  width: number,
  send: (item: Item, index: number) => Awaitable<void>,
): Promise<void> {
  const onTheWay: Promise<void>[] = []
  const failures: unknown[] = []
  const sendOne = async (item: Item, index: number): Promise<void> => {
    try {
      await send(item, index)
    } catch (error) {
      failures.push(error)
    }
  }
  for (const [index, item] of items.entries()) {
    await onTheWay[index % width]
    if (failures.length > 0) break
    onTheWay[index % width] = sendOne(item, index)
  }
  await Promise.all(onTheWay)
  if (failures.length > 0) throw failures[0]
}
