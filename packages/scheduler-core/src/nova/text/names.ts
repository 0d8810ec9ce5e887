import { architectures, type CanonicalNames, hypervisorTypes, vmModes } from '../../text/canonical-names.ts'
import { quote } from '../../text/problem.ts'
import { NovaError, type NovaErrorKind } from './nova-error.ts'

/** Returns Nova's canonical name of a CPU architecture. Throws InvalidArchitectureName if Nova does not know it. */
export const architectureName = orError(architectures, 'InvalidArchitectureName', 'architecture')

/** Returns Nova's canonical name of a hypervisor type. Throws InvalidHypervisorVirtType if Nova does not know it. */
export const hypervisorTypeName = orError(hypervisorTypes, 'InvalidHypervisorVirtType', 'hypervisor type')

/** Returns Nova's canonical name of a virtual machine mode. Throws InvalidVirtualMachineMode if Nova does not know it. */
export const vmModeName = orError(vmModes, 'InvalidVirtualMachineMode', 'virtual machine mode')

function orError({ all, find }: CanonicalNames, kind: NovaErrorKind, noun: string): (name: string) => string {
  return (name) => {
    const found = find(name)
    if (found === undefined) throw new NovaError(kind, `${quote(name)} is not a known ${noun}; known are ${all.join(', ')}`)
    return found
  }
}
