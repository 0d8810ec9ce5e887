import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { isJsonObject, type JsonValue } from '@gantt/scheduler-core'

/** The conditions of an `exports` field under which Node imports a module. */
const CONDITIONS: ReadonlySet<string> = new Set(['node', 'import', 'module-sync', 'default'])

/**
 * The folder of a package, searched like Node in `node_modules` of this folder and of every folder above. Throws Error if it is not found.
 */
export async function packageFolder(name: string, from: string): Promise<string> {
  for (let folder = path.resolve(from); ; folder = path.dirname(folder)) {
    const candidate = path.join(folder, 'node_modules', name)
    if (await isFolder(candidate)) return candidate
    if (folder === path.dirname(folder)) throw new Error('no node_modules folder in that folder or above it contains the package')
  }
}

/** The file that is imported for a path: the file itself; for a folder, the entry that its package.json names, or index.js if package.json names none. */
export async function entryOf(target: string): Promise<string> {
  if (!(await stat(target)).isDirectory()) return target
  const text = await readFile(path.join(target, 'package.json'), 'utf8')
  const manifest: unknown = JSON.parse(text)
  if (!isJsonObject(manifest)) throw new Error('its package.json is not an object')
  const { exports: doors, main } = manifest
  const door = isJsonObject(doors) && '.' in doors ? doors['.'] : doors
  const entry = pick(door) ?? (typeof main === 'string' ? main : 'index.js')
  const file = path.join(target, entry)
  if (!(await stat(file)).isFile()) throw new Error(`its entry ${entry} is not a file`)
  return file
}

function pick(door: JsonValue | undefined): string | undefined {
  if (typeof door === 'string') return door
  if (!isJsonObject(door)) return undefined
  return Object.entries(door)
    .filter(([condition]) => CONDITIONS.has(condition))
    .map(([, inner]) => pick(inner))
    .find((entry) => entry !== undefined)
}

const isFolder = (candidate: string): Promise<boolean> =>
  stat(candidate).then(
    (found) => found.isDirectory(),
    () => false,
  )
