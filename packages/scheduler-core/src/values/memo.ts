/** Caches the result of a function for each object, for example for the options of a profile. The objects must never change. */
export function memoByObject<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, { readonly value: Value }>()
  return (key) => {
    let entry = known.get(key)
    if (entry === undefined) {
      entry = { value: make(key) }
      known.set(key, entry)
    }
    return entry.value
  }
}
