import type { Namespace } from './contract.ts'
import { isRegistered, type NamespaceName } from './names.ts'
import { network } from './network.ts'
import { storage } from './storage.ts'

export type { Namespace } from './contract.ts'
export { isRegistered, type NamespaceName, registeredNamespaces } from './names.ts'

/** Every namespace whose documents this release reads. */
export const namespaces: Readonly<Record<NamespaceName, Namespace<unknown>>> = { storage, network }

/** Undefined for a namespace that is kept as it comes. */
export const namespaceNamed = (name: string): Namespace<unknown> | undefined => (isRegistered(name) ? namespaces[name] : undefined)
