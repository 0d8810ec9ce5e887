/**
 * The largest values that callers may send. Lengths are counted in characters. Lists and maps have at most `entries` entries unless another
 * limit applies. A message that refuses a value names the limit.
 */
export const limits = {
  instances: 1_000,
  vcpus: 65_536,
  /** 64 TiB. A larger value was most likely stated in bytes or KiB by mistake. */
  memoryMib: 67_108_864,
  diskGib: 1_073_741_824,
  /** The largest amount of a resource class. With larger amounts, capacities and ratios could not be computed exactly. */
  amount: 2 ** 40,
  ratio: 1_000,
  nameLength: 255,
  valueLength: 4_096,
  entries: 256,
  extraSpecsLength: 16_384,
  gpusPerHost: 64,
  numaCells: 64,
  cpus: 4_096,
  /** A document of a namespace may have at most this many characters as JSON, and its lists of volumes and ports this many entries. */
  documentLength: 65_536,
  /** A document of Nova may have at most this many characters, because it is stored unchanged. */
  novaDocumentLength: 262_144,
  pciRequests: 64,
  pciPools: 256,
  /** A request may have at most this many kinds of instances in addition to the first kind. */
  gangMembers: 16,
  topologySpreads: 4,
} as const
