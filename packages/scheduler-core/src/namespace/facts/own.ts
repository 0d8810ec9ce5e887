import type { Namespace } from '../../records/namespace-document.ts'
import { isRegistered, type NamespaceName } from '../../records/namespace-names.ts'
import { collectors } from './collectors.ts'
import { network } from './network.ts'
import { storage } from './storage.ts'

/** The namespaces whose documents this release reads without a plug-in. */
export const namespaces: Readonly<Record<NamespaceName, Namespace<unknown>>> = { storage, network, collectors }

/** The namespace of the release with this name. Undefined if the release has no such namespace. */
export const ownNamespace = (name: string): Namespace<unknown> | undefined => (isRegistered(name) ? namespaces[name] : undefined)
