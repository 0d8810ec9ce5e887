import { checkPlugin, isJsonObject, type JsonObject, type PartKind, type Plugin, partKinds, partLists } from '@gantt/scheduler-core'
import { z } from '@gantt/scheduler-core/plugin'
import type { Asker } from './outside/asker.ts'
import { openThread, type ThreadOptions } from './outside/thread.ts'
import { PluginError, problemsOf } from './plugin-error.ts'

/** A plug-in in a separate thread: its description, and the object that calls its parts. */
export interface Isolated {
  readonly plugin: Plugin
  readonly asker: Asker
}

/** Loads a plug-in into a separate thread and checks its description. `name` is its name in the configuration. Throws PluginError. */
export async function isolatePlugin(name: string, options: Omit<ThreadOptions, 'title'>): Promise<Isolated> {
  const { asker, said } = await loadInThread(name, options)
  try {
    return { plugin: readPlugin(name, JSON.parse(said)), asker }
  } catch (error) {
    await asker.close()
    throw error
  }
}

/** Loads a plug-in into a thread. Also returns the plug-in's description of itself as JSON. Throws PluginError. */
export async function loadInThread(
  name: string,
  options: Omit<ThreadOptions, 'title'>,
): Promise<{ readonly asker: Asker; readonly said: string }> {
  const asker = openThread({ ...options, title: `plug-in ${name}` })
  try {
    return { asker, said: await asker.loaded }
  } catch (error) {
    await asker.close()
    const why = error instanceof Error ? error.message : String(error)
    throw new PluginError('plugin.not_loaded', `plug-in ${name} could not be loaded from ${options.url}: ${why}`, { cause: error })
  }
}

function readPlugin(name: string, said: unknown): Plugin {
  if (!isJsonObject(said)) throw new PluginError('plugin.invalid', `plug-in ${name} has no description that is an object`)
  const { inProcess, lists, ...about } = said
  const [kind] = Array.isArray(inProcess) ? inProcess : []
  if (kind !== undefined)
    throw new PluginError(
      'plugin.invalid',
      `plug-in ${name} has ${kind}; an isolated plug-in must have none, or be listed as trusted:${name}`,
    )
  const by = `${said.name}@${said.version}`
  const parts = partLists.map((list) => {
    const described = isJsonObject(lists) && Array.isArray(lists[list]) ? lists[list].filter(isJsonObject) : []
    return [list, described.map((part) => readPart(name, by, partKinds[list], part))]
  })
  const checked = checkPlugin({ ...about, ...Object.fromEntries(parts) })
  if (!checked.ok) throw problemsOf(`plug-in ${name}`, checked.problems)
  return checked.value
}

/** A part with proxies for its functions, which run in the thread. */
function readPart(name: string, by: string, kind: PartKind, { beyond, schema, reads, ...part }: JsonObject): unknown {
  const where = `${part.name} of plug-in ${name}`
  const [member] = Array.isArray(beyond) ? beyond : []
  if (member !== undefined)
    throw new PluginError('plugin.invalid', `${where} has ${member}; a part that is isolated must have none, or run as trusted:${name}`)
  if (kind.asked === 'DOCUMENTS') return { ...part, ...describedSchema(kind, schema) }
  if (reads === 'a function')
    throw new PluginError('plugin.invalid', `reads of ${where} is a function; of a part that is isolated it must be a list`)
  return {
    ...part,
    reads,
    readsHostOnly: true,
    outside: { by },
    ...describedSchema(kind, schema),
    prepare() {
      throw new Error(`${part.name} runs in another thread; send it a question instead of calling prepare`)
    },
  }
}

const describedSchema = ({ schema: member }: PartKind, described: unknown): Readonly<Record<string, unknown>> =>
  member === undefined || described === null ? {} : { [member]: schemaOf(described) }

/** The schema of options, from JSON Schema. Undefined for a schema that cannot be converted, which checkPlugin reports. */
export function schemaOf(parameters: unknown): unknown {
  try {
    return z.fromJSONSchema(parameters as Parameters<typeof z.fromJSONSchema>[0])
  } catch {
    return 'none'
  }
}
