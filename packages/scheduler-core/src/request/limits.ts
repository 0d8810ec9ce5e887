/** Ranges of what a caller may send. Each is stated in the message that refuses it. */
export const limits = {
  instances: 1_000,
  vcpus: 65_536,
  /** 64 TiB: more is most likely bytes or KiB given as MiB. */
  memoryMib: 67_108_864,
  diskGib: 1_073_741_824,
  /** Amounts of any resource class: keeps capacity arithmetic with ratios exact. */
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
  /** Characters of a document of Nova's that is kept as it came. */
  novaDocumentLength: 262_144,
  pciRequests: 64,
  pciPools: 256,
  /** Kinds of instances of a gang beside the first. */
  gangMembers: 16,
  topologySpreads: 4,
} as const
