import { joinPlugins, type Plugin, type Plugins } from '@gantt/scheduler-core'
import { type Contained, containPlugin, type Failures } from './contain.ts'
import { isolatePlugin } from './isolate.ts'
import { importPlugin, resolvePlugin } from './load.ts'
import { problemsOf } from './plugin-error.ts'
import type { PluginSetting } from './settings.ts'

/** A plug-in of this service: what it brings, how it runs, and what went wrong in it. */
export interface LoadedPlugin {
  /** As it is decided by. */
  readonly plugin: Plugin
  readonly setting: PluginSetting
  readonly failures: Failures
}

export interface OpenPlugins {
  /** What a fleet carries. */
  readonly plugins: Plugins
  /** In the order of the setting. */
  readonly loaded: readonly LoadedPlugin[]
  close(): Promise<void>
}

export interface OpenPluginsOptions {
  /** Tells operators what went wrong. */
  warn(message: string): void
  /** Milliseconds since 1970. */
  now(): number
  /** Where relative paths and names of packages are looked for; the working directory if not given. */
  readonly from?: string
}

/** Loads every plug-in of the setting, one after the other. Throws PluginError, with those closed that were open. */
export async function openPlugins(settings: readonly PluginSetting[], { warn, now, from }: OpenPluginsOptions): Promise<OpenPlugins> {
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
        loaded.push({ ...contain(await importPlugin(setting.from, url)), setting })
        continue
      }
      const isolated = await isolatePlugin(setting.from, url)
      closing.push(() => isolated.close())
      loaded.push({ ...contain(isolated.plugin), setting })
    }
    const joined = joinPlugins(loaded.map(({ plugin }) => plugin))
    if (!joined.ok) throw problemsOf('the plug-ins', joined.problems)
    return { plugins: joined.value, loaded, close }
  } catch (error) {
    await close()
    throw error
  }
}
