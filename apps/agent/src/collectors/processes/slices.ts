import { performance } from 'node:perf_hooks'
import { setImmediate } from 'node:timers/promises'

/** A machine can have very many processes. After this time, other work of the event loop gets its turn. */
const SLICE_MS = 3

/** Calls `read` for each item, in short steps. Also returns how long the calls kept the event loop busy, in milliseconds. */
export async function inSlices<Item, Result>(
  items: readonly Item[],
  read: (item: Item) => Result | undefined,
): Promise<{ readonly results: readonly Result[]; readonly busyMs: number }> {
  const results: Result[] = []
  let busyMs = 0
  let began = performance.now()
  for (const item of items) {
    const result = read(item)
    if (result !== undefined) results.push(result)
    const took = performance.now() - began
    if (took < SLICE_MS) continue
    busyMs += took
    await setImmediate()
    began = performance.now()
  }
  return { results, busyMs: busyMs + performance.now() - began }
}
