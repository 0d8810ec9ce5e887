import type { Awaitable } from './driver.ts'

/**
 * Sends items in order, up to `width` of them at once. An item is sent only when every item that is at least `width` positions earlier has
 * ended. With a width of 1, items are sent strictly one after the other. After a failure nothing more is sent. Once all calls in progress
 * have ended, the first error is thrown.
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
