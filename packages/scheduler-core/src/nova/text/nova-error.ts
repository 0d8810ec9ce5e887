/** Names of errors in Python and Nova, as the recorded verdicts have them. */
export type NovaErrorKind =
  // errors of Python
  | 'AttributeError'
  | 'IndexError'
  | 'JSONDecodeError'
  | 'KeyError'
  | 'NotImplementedError'
  | 'TypeError'
  | 'ValueError'
  // errors of libraries
  | 'AddrFormatError'
  | 'ObjectActionError'
  // errors of Nova
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

/** Describes a value that could not be read: as text, or as the value, the expected form and the found form. */
export interface NovaFacts {
  readonly subject: string
  readonly need: string
  readonly have: string
}

/**
 * An error that corresponds to an exception of Nova. `kind` is the name of Nova's exception class. The message contains the found value and
 * the allowed values.
 */
export class NovaError extends Error {
  readonly kind: NovaErrorKind
  readonly facts: NovaFacts | undefined
  /** The path of the value that could not be read, such as `numa_topology.cells[0].id`. Undefined if no single value is wrong. */
  readonly at: string | undefined

  constructor(kind: NovaErrorKind, said: string | NovaFacts, at?: string) {
    super(typeof said === 'string' ? said : `${said.subject} is ${said.have}; it must be ${said.need}`)
    this.name = kind
    this.kind = kind
    this.at = at
    this.facts = typeof said === 'string' ? undefined : said
  }
}
