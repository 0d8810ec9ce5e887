import { COLLECTOR_STATES } from '../values/levels.ts'

/** The namespaces of this release whose documents are parsed and checked. */
export const registeredNamespaces = ['storage', 'network', 'collectors'] as const
export type NamespaceName = (typeof registeredNamespaces)[number]

/**
 * The namespaces of this release whose documents are stored without a check. TrustedFilter, which reads them, ignores documents that it
 * cannot read.
 */
const openNamespaces = ['attestation'] as const

/** All namespaces of the release. Any other namespace belongs to a plug-in. */
export const ownNamespaces: readonly string[] = [...registeredNamespaces, ...openNamespaces]

const registered: ReadonlySet<string> = new Set(registeredNamespaces)
const own: ReadonlySet<string> = new Set(ownNamespaces)

export const isRegistered = (name: string): name is NamespaceName => registered.has(name)

export const isOwnNamespace = (name: string): boolean => own.has(name)

/** The lowest feature level at which documents of a namespace can be written. */
export function levelOfNamespace(name: string): number {
  if (isRegistered(name)) return levels[name]
  return isOwnNamespace(name) ? 1 : 7
}

const levels: Readonly<Record<NamespaceName, number>> = { storage: 5, network: 5, collectors: COLLECTOR_STATES }

/**
 * The namespaces whose documents have an effect beyond the host about which they are reported: they locate volumes and ports for requests
 * on any host, give the space of pools that hosts share, and decide whether such requests are checked at all.
 */
const fleetWide: ReadonlySet<string> = new Set<NamespaceName>(['storage', 'network'])

/** True if documents of the namespace affect what requests can use on other hosts. */
export const isFleetWide = (namespace: string): boolean => fleetWide.has(namespace)
