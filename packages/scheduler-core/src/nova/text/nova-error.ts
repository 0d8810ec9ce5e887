/** Names of the exceptions that Nova's scheduler can raise. The recorded results of Nova use the same names. */
export type NovaErrorKind =
  // Exceptions of Python
  | 'AttributeError'
  | 'IndexError'
  | 'JSONDecodeError'
  | 'KeyError'
  | 'NotImplementedError'
  | 'TypeError'
  | 'ValueError'
  // Exceptions of libraries that Nova uses
  | 'AddrFormatError'
  | 'ObjectActionError'
  // Exceptions of Nova
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

/** Describes a wrong value: what it is (`subject`), what was expected (`need`), and what was found (`have`). */
export interface NovaFacts {
  readonly subject: string
  readonly need: string
  readonly have: string
}

/**
 * An error that corresponds to an exception of Nova. `kind` is the name of the exception class. The message has the found value and what is
 * allowed.
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
