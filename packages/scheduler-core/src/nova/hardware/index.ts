/** NUMA cells of a host, as Nova's NUMATopology. */
export interface HostTopology {
  readonly cells: readonly unknown[]
}

export const readHostTopology = (text: string): HostTopology => {
  const wire: unknown = JSON.parse(text)
  return { cells: [wire] }
}
