import type { LeaseProvider } from '@gantt/scheduler-core'
import { livenessSources } from '../liveness/liveness-source.ts'
import type { LoadedPlugin } from './open-plugins.ts'
import { PluginError } from './plugin-error.ts'

/** A lease provider, and the function that counts its violations. */
export interface FoundProvider {
  readonly provider: LeaseProvider
  fail(what: string): Error
}

/**
 * The lease provider that the setting names. Undefined if it names a source of the release. Throws PluginError if no plug-in has a provider
 * of this name.
 */
export function findProvider(loaded: readonly LoadedPlugin[], name: string | undefined): FoundProvider | undefined {
  if (name === undefined || livenessSources.some((own) => own === name)) return undefined
  const all = loaded.flatMap(({ plugin, fail }) => plugin.leaseProviders.map((provider) => ({ provider, fail })))
  const found = all.find(({ provider }) => provider.name === name)
  if (found === undefined) {
    const known = [...livenessSources, ...all.map(({ provider }) => provider.name)].join(', ')
    throw new PluginError('plugin.not_loaded', `GANTT_LIVENESS is ${name}, which no plug-in provides; it must be one of ${known}`)
  }
  const { provider, fail = (_part, what) => new Error(what) } = found
  return { provider, fail: (what) => fail(name, what) }
}
