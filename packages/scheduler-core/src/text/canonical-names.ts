/** The names of one kind of thing, each with its canonical form. */
export interface CanonicalNames {
  readonly all: readonly string[]
  /** The canonical form; undefined if the name is unknown. */
  find(name: string): string | undefined
}

/** CPU architectures by Nova's names: lower case, `amd64` is `x86_64`. */
export const architectures = canonicalNames({
  names:
    'alpha armv6 armv7l armv7b aarch64 cris i686 ia64 lm32 m68k microblaze microblazeel mips mipsel mips64 mips64el openrisc parisc parisc64 ' +
    'ppc ppcle ppc64 ppc64le ppcemb s390 s390x sh4 sh4eb sparc sparc64 unicore32 x86_64 xtensa xtensaeb',
  aliases: { i386: 'i686', i486: 'i686', i586: 'i686', x86_32: 'i686', x86_32p: 'i686', amd64: 'x86_64' },
})

/** Virtualization types by Nova's names: lower case, `xapi` is `xen`. */
export const hypervisorTypes = canonicalNames({
  names: 'baremetal bhyve docker fake hyperv ironic kqemu kvm lxc lxd openvz parallels phyp qemu test uml vbox vz vmware xen zvm prsm',
  aliases: { xapi: 'xen' },
})

/** Virtual machine modes by Nova's names: lower case, `pv` is `xen`, `hv` and `baremetal` are `hvm`. */
export const vmModes = canonicalNames({
  names: 'hvm xen uml exe',
  aliases: { pv: 'xen', hv: 'hvm', baremetal: 'hvm' },
})

/** The canonical form of a name. An unknown name is returned unchanged. */
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
