/** A copy of plain data in which nothing can be changed, down to the leaves: whoever tries is told so by the language. */
export function frozenCopy<Data>(data: Data): Data {
  if (typeof data !== 'object' || data === null) return data
  const copy: unknown = Array.isArray(data)
    ? data.map(frozenCopy)
    : Object.fromEntries(Object.entries(data).map(([name, value]) => [name, frozenCopy(value)]))
  return Object.freeze(copy) as Data
}
