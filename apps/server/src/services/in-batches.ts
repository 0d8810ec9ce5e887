/** Answers the questions of one moment by one read: a list asks the same of each of its rows. */
export function inBatches<Key, Value>(read: (keys: readonly Key[]) => Promise<(key: Key) => Value>): (key: Key) => Promise<Value> {
  let waiting: { readonly keys: Key[]; readonly answer: Promise<(key: Key) => Value> } | undefined
  const begin = () => {
    const keys: Key[] = []
    const answer = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      waiting = undefined
      return read(keys)
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
