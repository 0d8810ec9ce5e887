import type { Awaitable } from './driver.ts'

/**
 * Sends items in their order, a limited number at once: one is sent as soon as all but the last `width - 1` before it
 * are done. So an item is overtaken by at most `width - 1` later ones, and a width of 1 is strictly sequential. After a
 * failure nothing more is sent; the first error is thrown once all requests in progress have ended.
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
