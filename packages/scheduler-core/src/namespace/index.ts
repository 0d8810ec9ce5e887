import type { Plugins } from '../plugin/plugins.ts'
import type { Namespace } from './contract.ts'
import { isRegistered, type NamespaceName } from './names.ts'
import { network } from './network.ts'
import { asNamespace } from './of-plugin.ts'
import { storage } from './storage.ts'

export type { Namespace } from './contract.ts'
export { isOwnNamespace, isRegistered, type NamespaceName, ownNamespaces, registeredNamespaces } from './names.ts'

/** Every namespace whose documents this release reads. */
export const namespaces: Readonly<Record<NamespaceName, Namespace<unknown>>> = { storage, network }

/** That of the release, or of one of the plug-ins; undefined where neither has it. */
export function namespaceNamed(name: string, plugins?: Pick<Plugins, 'namespaces'>): Namespace<unknown> | undefined {
  if (isRegistered(name)) return namespaces[name]
  const own = plugins?.namespaces.find((one) => one.name === name)
  return own && asNamespace(own)
}
