import type { Plugins } from '../contracts/plugins.ts'
import type { Namespace } from '../records/namespace-document.ts'
import { ownNamespace } from './facts/own.ts'
import { asNamespace } from './of-plugin.ts'

export type { Namespace } from '../records/namespace-document.ts'
export {
  isFleetWide,
  isOwnNamespace,
  isRegistered,
  type NamespaceName,
  ownNamespaces,
  registeredNamespaces,
} from '../records/namespace-names.ts'

/** The namespace with this name, of the release or of a plug-in. Undefined if there is no such namespace. */
export function namespaceNamed(name: string, plugins?: Pick<Plugins, 'namespaces'>): Namespace<unknown> | undefined {
  const ofPlugin = plugins?.namespaces.find((one) => one.name === name)
  return ownNamespace(name) ?? (ofPlugin && asNamespace(ofPlugin))
}
export { namespaces } from './facts/own.ts'
