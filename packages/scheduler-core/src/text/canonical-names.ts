/** A set of names. Some names have aliases. The canonical form of an alias is the name that the alias means. */
export interface CanonicalNames {
  readonly all: readonly string[]
  /** The canonical form of a name or an alias. Undefined if the name is unknown. */
  find(name: string): string | undefined
}

/** Nova's names of CPU architectures. Upper and lower case are equal, and `amd64` is an alias of `x86_64`. */
export const architectures = canonicalNames({
  names:
    'alpha armv6 armv7l armv7b aarch64 cris i686 ia64 lm32 m68k microblaze microblazeel mips mipsel mips64 mips64el openrisc parisc parisc64 ' +
    'ppc ppcle ppc64 ppc64le ppcemb s390 s390x sh4 sh4eb sparc sparc64 unicore32 x86_64 xtensa xtensaeb',
  aliases: { i386: 'i686', i486: 'i686', i586: 'i686', x86_32: 'i686', x86_32p: 'i686', amd64: 'x86_64' },
})

/** Nova's names of hypervisor types. Upper and lower case are equal, and `xapi` is an alias of `xen`. */
export const hypervisorTypes = canonicalNames({
  names: 'baremetal bhyve docker fake hyperv ironic kqemu kvm lxc lxd openvz parallels phyp qemu test uml vbox vz vmware xen zvm prsm',
  aliases: { xapi: 'xen' },
})

/** Nova's names of VM modes. Upper and lower case are equal, `pv` is an alias of `xen`, and `hv` and `baremetal` are aliases of `hvm`. */
export const vmModes = canonicalNames({
  names: 'hvm xen uml exe',
  aliases: { pv: 'xen', hv: 'hvm', baremetal: 'hvm' },
})

/** Returns the canonical form of a name, or the name itself if it is unknown. */
export const canonicalForm =
  ({ find }: CanonicalNames) =>
  (name: string): string =>
    find(name) ?? name

interface Names {
  readonly names: string
  readonly aliases: Readonly<Record<string, string>>
}

function canonicalNames({ names, aliases }: Names): CanonicalNames {
  const known = new Set(names.split(' '))
  return {
    all: [...known],
    find(name) {
      const lower = name.toLowerCase()
      const found = Object.hasOwn(aliases, lower) ? (aliases[lower] as string) : lower
      return known.has(found) ? found : undefined
    },
  }
}
