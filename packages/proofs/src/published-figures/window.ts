import type { Awaitable } from './driver.ts'

/**
 * Sends items in their order, so many at once: one is sent as soon as all but the last `width - 1` before it are done. So nothing
 * is overtaken by more than `width - 1` of those behind it, and a width of 1 is strictly one after the other. After a failure
 * nothing more is sent; the first one is thrown once what is on its way has ended.
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
