/** NUMA cells of a host, as Nova's NUMATopology. */
export interface HostTopology {
  readonly cells: readonly unknown[]
}
/** A pool of like PCI devices. */
export type PciPool = Readonly<Record<string, unknown>> & { readonly count: number }

export const readHostTopology = (text: string): HostTopology => {
  const wire: unknown = JSON.parse(text)
  return { cells: [wire] }
}
export const readPciPools = (wire: unknown): readonly PciPool[] => (wire === undefined ? [] : [])
