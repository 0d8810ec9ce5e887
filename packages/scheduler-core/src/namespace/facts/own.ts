import type { Namespace } from '../../records/namespace-document.ts'
import { isRegistered, type NamespaceName } from '../../records/namespace-names.ts'
import { network } from './network.ts'
import { storage } from './storage.ts'

/** All namespaces with documents that this release reads. */
export const namespaces: Readonly<Record<NamespaceName, Namespace<unknown>>> = { storage, network }

/** The release's namespace with this name. Undefined if it has none. */
export const ownNamespace = (name: string): Namespace<unknown> | undefined => (isRegistered(name) ? namespaces[name] : undefined)
