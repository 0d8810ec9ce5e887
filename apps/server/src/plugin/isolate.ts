import type { Plugin } from '@gantt/scheduler-core'
import { PluginError } from './plugin-error.ts'

/** A plug-in that runs in a thread of its own, as the parts that ask it. `name`: as the configuration has it; `url`: of its entry. */
export async function isolatePlugin(name: string, _url: string): Promise<{ readonly plugin: Plugin; close(): Promise<void> }> {
  throw new PluginError(
    'plugin.not_loaded',
    `plug-in ${name} could not be loaded: this release isolates none; name it trusted:${name} to run it in the process of the service`,
  )
}
