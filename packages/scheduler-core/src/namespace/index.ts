import type { NamespaceDocument } from '../fleet/hosts.ts'
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

/** Reads a document when it comes, so that no decision waits until all are read. It changes nothing, whatever the document is. */
export function readAhead(name: string, held: NamespaceDocument): void {
  namespaceNamed(name)?.read(held)
}
