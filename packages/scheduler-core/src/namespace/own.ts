import type { Namespace } from './contract.ts'
import { isRegistered, type NamespaceName } from './names.ts'
import { network } from './network.ts'
import { storage } from './storage.ts'

/** Every namespace whose documents this release reads. */
export const namespaces: Readonly<Record<NamespaceName, Namespace<unknown>>> = { storage, network }

/** That of the release; undefined where it has none of the name. */
export const ownNamespace = (name: string): Namespace<unknown> | undefined => (isRegistered(name) ? namespaces[name] : undefined)
