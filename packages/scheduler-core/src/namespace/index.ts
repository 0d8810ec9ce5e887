import type { Plugins } from '../plugin/plugins.ts'
import type { Namespace } from './contract.ts'
import { asNamespace } from './of-plugin.ts'
import { ownNamespace } from './own.ts'

export type { Namespace } from './contract.ts'
export { isOwnNamespace, isRegistered, type NamespaceName, ownNamespaces, registeredNamespaces } from './names.ts'

/** That of the release, or of one of the plug-ins; undefined where neither has it. */
export function namespaceNamed(name: string, plugins?: Pick<Plugins, 'namespaces'>): Namespace<unknown> | undefined {
  const ofPlugin = plugins?.namespaces.find((one) => one.name === name)
  return ownNamespace(name) ?? (ofPlugin && asNamespace(ofPlugin))
}
export { namespaces } from './own.ts'
