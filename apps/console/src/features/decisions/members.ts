/**
 * The kind of each instance, in the order of the instances. Empty if the request has only one kind of instance. `document` is the original
 * request.
 */
export function membersOf(document: unknown, instances: number): readonly string[] {
  const gang: unknown = typeof document === 'object' && document !== null && 'gang' in document ? document.gang : []
  if (!Array.isArray(gang) || gang.length === 0) return []
  const kinds = gang.flatMap((kind: unknown, i): string[] => {
    if (typeof kind !== 'object' || kind === null || !('instances' in kind)) return []
    const name = 'name' in kind && typeof kind.name === 'string' ? kind.name : `kind ${i + 2}`
    return new Array<string>(Number(kind.instances)).fill(name)
  })
  // the first instances have the request's own flavor
  return [...new Array<string>(Math.max(0, instances - kinds.length)).fill('flavor'), ...kinds]
}
