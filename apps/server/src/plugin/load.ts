import { existsSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { checkPlugin, type Plugin } from '@gantt/scheduler-core'
import { entryOf, packageFolder } from './entry.ts'
import { PluginError, problemsOf } from './plugin-error.ts'

/**
 * The URL of the file for a name or path: a path as Node resolves it, a folder by its package.json, or the name of a package as seen from
 * the folder `from`. If no package has the name, it is read as a path in the folder `from`. Throws PluginError.
 */
export async function resolvePlugin(name: string, from = process.cwd()): Promise<string> {
  const isPath = name.startsWith('.') || path.isAbsolute(name)
  const whole = path.resolve(from, name)
  try {
    const folder = isPath ? whole : await packageFolder(name, from).catch((error) => (existsSync(whole) ? whole : Promise.reject(error)))
    return pathToFileURL(await entryOf(folder)).href
  } catch (error) {
    throw notLoaded(name, isPath ? `from ${whole}` : `as a package from ${from}`, error)
  }
}

/** Imports and checks the plug-in at a URL. `name` is its name in the configuration. Throws PluginError. */
export async function importPlugin(name: string, url: string): Promise<Plugin> {
  const module: Readonly<Record<string, unknown>> = await import(/* @vite-ignore */ url).catch((error: unknown) => {
    throw notLoaded(name, `from ${url}`, error)
  })
  if (!('default' in module)) {
    const exported = Object.keys(module).join(', ') || 'nothing'
    throw new PluginError('plugin.no_export', `plug-in ${name} exports ${exported}; its default export must be what definePlugin returns`)
  }
  const checked = checkPlugin(module.default)
  if (!checked.ok) throw problemsOf(`plug-in ${name}`, checked.problems)
  return checked.value
}

function notLoaded(name: string, where: string, cause: unknown): PluginError {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new PluginError('plugin.not_loaded', `plug-in ${name} could not be loaded ${where}: ${why}`, { cause })
}
