import { joinPlugins, type PartKind, type Plugin, type Plugins, partKinds, partsIn } from '@gantt/scheduler-core'
import { type Contained, containPlugin, type Failures } from './contain.ts'
import type { Fail } from './contain-part.ts'
import { isolatePlugin, loadInThread } from './isolate.ts'
import { importPlugin, resolvePlugin } from './load.ts'
import type { Asker } from './outside/asker.ts'
import { createDocuments, type Documents } from './outside/documents.ts'
import { openExtender } from './outside/extender.ts'
import { readExtenders } from './outside/extender-file.ts'
import { createOutside, type Outside } from './outside/outside.ts'
import { problemsOf } from './plugin-error.ts'
import { DEFAULT_PLUGIN_TIMEOUT_MS, type PluginSetting } from './settings.ts'

/** A plug-in of this service: its parts, its mode, and its failures. */
export interface LoadedPlugin {
  /** The plug-in as decisions use it. */
  readonly plugin: Plugin
  readonly setting: PluginSetting
  readonly failures: Failures
  /** Counts a failure of the plug-in in this process. */
  readonly fail?: Fail
  /** Calls the parts that run outside of this process, and counts these calls. Undefined if they run in this process. */
  readonly asker?: Asker
  /** Checks documents in the namespaces of a plug-in in this process. */
  readonly checker?: Asker
}

export interface OpenPlugins {
  /** The plug-ins for fleets of this service. */
  readonly plugins: Plugins
  /** The plug-ins in the order of the setting. Extenders come last. */
  readonly loaded: readonly LoadedPlugin[]
  /** Calls filters and weighers that run outside of this process; undefined if there are none. */
  readonly outside: Outside | undefined
  readonly documents: Documents
  close(): Promise<void>
}

export interface OpenPluginsOptions {
  /** Receives warnings for operators. */
  warn(message: string): void
  /** Milliseconds since 1970. */
  now(): number
  /** The folder for relative paths and names of packages; default: the working directory. */
  readonly from?: string
  /** How long an answer of a filter or weigher outside of this process may take, in milliseconds. */
  readonly timeoutMs?: number
  /** The file that describes extenders; undefined if there are none. */
  readonly extenders?: string | undefined
}

/** Loads every plug-in of the setting, one after the other. If one cannot be loaded, closes the others and throws PluginError. */
export async function openPlugins(
  settings: readonly PluginSetting[],
  { warn, now, from, timeoutMs = DEFAULT_PLUGIN_TIMEOUT_MS, extenders }: OpenPluginsOptions,
): Promise<OpenPlugins> {
  const closing: (() => Promise<void>)[] = []
  const close = async (): Promise<void> => {
    for (let end = closing.pop(); end !== undefined; end = closing.pop()) await end()
  }
  try {
    const loaded: LoadedPlugin[] = []
    for (const setting of settings) {
      const url = await resolvePlugin(setting.from, from)
      const contain = (plugin: Plugin): Contained => containPlugin(plugin, { warn, now })
      if (setting.mode === 'TRUSTED') {
        const contained = contain(await importPlugin(setting.from, url))
        // schemas of documents are always checked in a thread with a time limit
        const { asker } = contained.plugin.namespaces.length > 0 ? await loadInThread(setting.from, { url, timeoutMs, warn, now }) : {}
        if (asker === undefined) loaded.push({ ...contained, setting })
        else {
          closing.push(() => asker.close())
          loaded.push({ ...contained, failures: bothOf(contained.failures, failuresOf(asker)), setting, checker: asker })
        }
        continue
      }
      const { plugin, asker } = await isolatePlugin(setting.from, { url, timeoutMs, warn, now })
      closing.push(() => asker.close())
      loaded.push({ plugin, setting, failures: failuresOf(asker), asker })
    }
    for (const { plugin, url, headers, timeoutMs: own = timeoutMs } of extenders === undefined ? [] : await readExtenders(extenders)) {
      const asker = openExtender({ url, headers, title: `extender ${plugin.name}`, timeoutMs: own, warn, now })
      closing.push(() => asker.close())
      loaded.push({ plugin, setting: { from: url, mode: 'EXTENDER' }, failures: failuresOf(asker), asker })
    }
    const joined = joinPlugins(loaded.map(({ plugin }) => plugin))
    if (!joined.ok) throw problemsOf('the plug-ins', joined.problems)
    const askers = new Map(
      loaded.flatMap(({ plugin, asker, checker }) => {
        const who = asker ?? checker
        return who === undefined ? [] : askedParts(plugin).map((name) => [name, who] as const)
      }),
    )
    const outside = loaded.some(({ asker }) => asker !== undefined) ? createOutside((part) => askers.get(part)) : undefined
    return { plugins: joined.value, loaded, outside, documents: createDocuments((namespace) => askers.get(namespace)), close }
  } catch (error) {
    await close()
    throw error
  }
}

const askedParts = (plugin: Plugin): string[] =>
  partsIn(plugin).flatMap(({ list, part }) => ((partKinds[list] as PartKind).asked === undefined ? [] : [part.name]))

const failuresOf = (asker: Asker): Failures => ({
  get count() {
    return asker.health.count
  },
  get last() {
    return asker.health.last
  },
})

/** The failures of a plug-in in this process, and of the thread that checks documents for it, added up. */
const bothOf = (one: Failures, other: Failures): Failures => ({
  get count() {
    return one.count + other.count
  },
  get last() {
    return (one.last?.at ?? Number.NEGATIVE_INFINITY) > (other.last?.at ?? Number.NEGATIVE_INFINITY) ? one.last : (other.last ?? one.last)
  },
})
