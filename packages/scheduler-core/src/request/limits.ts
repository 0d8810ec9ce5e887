/** Ranges of the values that a caller may send. The message that refuses a value states its range. */
export const limits = {
  instances: 1_000,
  vcpus: 65_536,
  /** 64 TiB: a larger number is most likely bytes or KiB given as MiB. */
  memoryMib: 67_108_864,
  diskGib: 1_073_741_824,
  /** The largest amount of any resource class; it keeps the arithmetic of capacity and ratios exact. */
  amount: 2 ** 40,
  ratio: 1_000,
  nameLength: 255,
  valueLength: 4_096,
  entries: 256,
  extraSpecsLength: 16_384,
  gpusPerHost: 64,
  numaCells: 64,
  cpus: 4_096,
  documentLength: 65_536,
  /** The largest number of characters in a document of Nova, which is stored unchanged. */
  novaDocumentLength: 262_144,
  pciRequests: 64,
  pciPools: 256,
  /** The number of further kinds of instances in a request, in addition to the first. */
  gangMembers: 16,
  topologySpreads: 4,
} as const
