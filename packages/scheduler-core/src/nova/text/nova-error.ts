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

/** Where Nova would raise: `kind` is the name of its exception class, the message says what was found and what is allowed. */
export class NovaError extends Error {
  readonly kind: NovaErrorKind

  constructor(kind: NovaErrorKind, message: string) {
    super(message)
    this.name = kind
    this.kind = kind
  }
}
