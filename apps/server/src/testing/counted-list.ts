/** A list, and how many of its items were read so far. */
export function countedList<Item>(items: readonly Item[]) {
  const read = { items: 0 }
  const list = new Proxy(items, {
    get(target, key, receiver): unknown {
      if (typeof key === 'string' && /^\d+$/.test(key)) read.items++
      return Reflect.get(target, key, receiver)
    },
  })
  return { list, read }
}
