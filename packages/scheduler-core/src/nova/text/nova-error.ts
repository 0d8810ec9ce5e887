/** What Python and Nova call the things that go wrong; the recorded verdicts name them so. */
export type NovaErrorKind =
  // Python's
  | 'AttributeError'
  | 'IndexError'
  | 'JSONDecodeError'
  | 'KeyError'
  | 'NotImplementedError'
  | 'TypeError'
  | 'ValueError'
  // of libraries
  | 'AddrFormatError'
  | 'ObjectActionError'
  // Nova's
  | 'BadRequirementEmulatorThreadsPolicy'
  | 'CPUPinningInvalid'
  | 'CPUPinningUnknown'
  | 'CPUThreadPolicyConfigurationInvalid'
  | 'ComputeHostMetricNotFound'
  | 'FlavorImageLockedMemoryConflict'
  | 'ImageCPUPinningForbidden'
  | 'ImageCPUThreadPolicyForbidden'
  | 'ImageNUMATopologyAsymmetric'
  | 'ImageNUMATopologyCPUDuplicates'
  | 'ImageNUMATopologyCPUOutOfRange'
  | 'ImageNUMATopologyCPUsUnassigned'
  | 'ImageNUMATopologyForbidden'
  | 'ImageNUMATopologyIncomplete'
  | 'ImageNUMATopologyMemoryOutOfRange'
  | 'Invalid'
  | 'InvalidArchitectureName'
  | 'InvalidCPUAllocationPolicy'
  | 'InvalidCPUThreadAllocationPolicy'
  | 'InvalidEmulatorThreadsPolicy'
  | 'InvalidHypervisorVirtType'
  | 'InvalidMixedInstanceDedicatedMask'
  | 'InvalidNUMANodesNumber'
  | 'InvalidRequest'
  | 'InvalidVirtualMachineMode'
  | 'LockMemoryForbidden'
  | 'MemoryPageSizeForbidden'
  | 'MemoryPageSizeInvalid'
  | 'PciDeviceRequestFailed'
  | 'RealtimeConfigurationInvalid'
  | 'RealtimeMaskNotFoundOrInvalid'
  | 'RequiredMixedInstancePolicy'
  | 'RequiredMixedOrRealtimeCPUMask'

/** What could not be read: in words, or as what it is, what it must be and what was found. */
export interface NovaFacts {
  readonly subject: string
  readonly need: string
  readonly have: string
}

/** Where Nova would raise: `kind` is the name of its exception class, the message says what was found and what is allowed. */
export class NovaError extends Error {
  readonly kind: NovaErrorKind
  readonly facts: NovaFacts | undefined
  /** Names and positions that lead to what could not be read, as `numa_topology.cells[0].id`; undefined: no place is at fault alone. */
  readonly at: string | undefined

  constructor(kind: NovaErrorKind, said: string | NovaFacts, at?: string) {
    super(typeof said === 'string' ? said : `${said.subject} is ${said.have}; it must be ${said.need}`)
    this.name = kind
    this.kind = kind
    this.at = at
    this.facts = typeof said === 'string' ? undefined : said
  }
}
