/** Makes a deeply frozen copy of plain data. Writing to the copy throws an error. */
export function frozenCopy<Data>(data: Data): Data {
  if (typeof data !== 'object' || data === null) return data
  const copy: unknown = Array.isArray(data)
    ? data.map(frozenCopy)
    : Object.fromEntries(Object.entries(data).map(([name, value]) => [name, frozenCopy(value)]))
  return Object.freeze(copy) as Data
}
