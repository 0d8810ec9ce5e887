import { architectures, type CanonicalNames, hypervisorTypes, vmModes } from '../../text/canonical-names.ts'
import { quote } from '../../text/problem.ts'
import { NovaError, type NovaErrorKind } from './nova-error.ts'

/** Nova's name of a CPU architecture. Throws InvalidArchitectureName. */
export const architectureName = orError(architectures, 'InvalidArchitectureName', 'architecture')

/** Nova's name of a virtualization type. Throws InvalidHypervisorVirtType. */
export const hypervisorTypeName = orError(hypervisorTypes, 'InvalidHypervisorVirtType', 'hypervisor type')

/** Nova's name of a virtual machine mode. Throws InvalidVirtualMachineMode. */
export const vmModeName = orError(vmModes, 'InvalidVirtualMachineMode', 'virtual machine mode')

function orError({ all, find }: CanonicalNames, kind: NovaErrorKind, noun: string): (name: string) => string {
  return (name) => {
    const found = find(name)
    if (found === undefined) throw new NovaError(kind, `${quote(name)} is no ${noun}; there are: ${all.join(', ')}`)
    return found
  }
}
