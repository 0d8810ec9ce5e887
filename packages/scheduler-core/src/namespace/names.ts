/** The namespaces whose documents this release reads. What is reported under another name is kept as it came. */
export const registeredNamespaces = ['storage', 'network'] as const
export type NamespaceName = (typeof registeredNamespaces)[number]

const registered: ReadonlySet<string> = new Set(registeredNamespaces)

export const isRegistered = (name: string): name is NamespaceName => registered.has(name)
