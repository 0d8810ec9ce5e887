/** Which keys of the open maps of a request a part looks at: whoever sends others is told that they had no effect. Absent: none. */
export interface RequestReads {
  readonly extraSpecs?: (key: string) => boolean
  readonly schedulerHints?: (key: string) => boolean
  readonly imageProperties?: (key: string) => boolean
}

/** These keys and no others. */
export function namedKeys(...names: readonly string[]): (key: string) => boolean {
  const known = new Set(names)
  return (key) => known.has(key)
}

/** Keys that begin so. */
export const keysFrom =
  (prefix: string) =>
  (key: string): boolean =>
    key.startsWith(prefix)

/** Keys without a scope, and those of this one: `scope:key`. */
export const bareOrOf =
  (scope: string) =>
  (key: string): boolean =>
    !key.includes(':') || key.startsWith(`${scope}:`)

export const everyKey = (): boolean => true
