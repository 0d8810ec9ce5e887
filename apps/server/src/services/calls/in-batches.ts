import { outsideOfCalls } from '../../event-loop/query.ts'

/**
 * Combines simultaneous calls into one read, because each row of a list makes the same call. The read continues if one of its callers
 * disconnects.
 */
export function inBatches<Key, Value>(read: (keys: readonly Key[]) => Promise<(key: Key) => Value>): (key: Key) => Promise<Value> {
  let waiting: { readonly keys: Key[]; readonly answer: Promise<(key: Key) => Value> } | undefined
  const begin = () => {
    const keys: Key[] = []
    const answer = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      waiting = undefined
      return outsideOfCalls(() => read(keys))
    })
    return { keys, answer }
  }
  return async (key) => {
    waiting ??= begin()
    const { keys, answer } = waiting
    keys.push(key)
    return (await answer)(key)
  }
}
