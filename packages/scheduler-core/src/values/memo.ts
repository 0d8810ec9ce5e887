/** Caches a function of an object that never changes (such as a profile's options): it is computed once per object. */
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
