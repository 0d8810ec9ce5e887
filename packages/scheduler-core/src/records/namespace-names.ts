/** The namespaces with documents that this release reads. */
export const registeredNamespaces = ['storage', 'network'] as const
export type NamespaceName = (typeof registeredNamespaces)[number]

/** Namespaces that Nova's rules read unchanged. The form of their documents is not checked. */
const openNamespaces = ['attestation'] as const

/** The namespaces with documents that this release accepts. All others belong to plug-ins. */
export const ownNamespaces: readonly string[] = [...registeredNamespaces, ...openNamespaces]

const registered: ReadonlySet<string> = new Set(registeredNamespaces)
const own: ReadonlySet<string> = new Set(ownNamespaces)

export const isRegistered = (name: string): name is NamespaceName => registered.has(name)

export const isOwnNamespace = (name: string): boolean => own.has(name)

/** The feature level of the log from which documents of a namespace may be written. */
export const levelOfNamespace = (name: string): number => (isRegistered(name) ? 5 : isOwnNamespace(name) ? 1 : 7)
