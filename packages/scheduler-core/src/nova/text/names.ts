import { quote } from '../../problem.ts'
import { NovaError, type NovaErrorKind } from './nova-error.ts'

/** Nova's name of a CPU architecture: lower case, `amd64` is `x86_64`. Throws InvalidArchitectureName. */
export const architectureName = canonical('InvalidArchitectureName', 'architecture', {
  names:
    'alpha armv6 armv7l armv7b aarch64 cris i686 ia64 lm32 m68k microblaze microblazeel mips mipsel mips64 mips64el openrisc parisc parisc64 ' +
    'ppc ppcle ppc64 ppc64le ppcemb s390 s390x sh4 sh4eb sparc sparc64 unicore32 x86_64 xtensa xtensaeb',
  aliases: { i386: 'i686', i486: 'i686', i586: 'i686', x86_32: 'i686', x86_32p: 'i686', amd64: 'x86_64' },
})

/** Nova's name of a virtualization type: lower case, `xapi` is `xen`. Throws InvalidHypervisorVirtType. */
export const hypervisorTypeName = canonical('InvalidHypervisorVirtType', 'hypervisor type', {
  names: 'baremetal bhyve docker fake hyperv ironic kqemu kvm lxc lxd openvz parallels phyp qemu test uml vbox vz vmware xen zvm prsm',
  aliases: { xapi: 'xen' },
})

/** Nova's name of a virtual machine mode: lower case, `pv` is `xen`, `hv` and `baremetal` are `hvm`. Throws InvalidVirtualMachineMode. */
export const vmModeName = canonical('InvalidVirtualMachineMode', 'virtual machine mode', {
  names: 'hvm xen uml exe',
  aliases: { pv: 'xen', hv: 'hvm', baremetal: 'hvm' },
})

/** As a rule that reads Nova's names of one kind reads them; one that it does not know stays as it is. */
export const knownName =
  (read: (name: string) => string) =>
  (name: string): string => {
    try {
      return read(name)
    } catch (error) {
      if (!(error instanceof NovaError)) throw error
      return name
    }
  }

interface Names {
  readonly names: string
  readonly aliases: Readonly<Record<string, string>>
}

function canonical(kind: NovaErrorKind, noun: string, { names, aliases }: Names): (name: string) => string {
  const known = new Set(names.split(' '))
  return (name) => {
    const lower = name.toLowerCase()
    const found = Object.hasOwn(aliases, lower) ? (aliases[lower] as string) : lower
    if (!known.has(found)) throw new NovaError(kind, `${quote(name)} is no ${noun}; there are: ${[...known].join(', ')}`)
    return found
  }
}
