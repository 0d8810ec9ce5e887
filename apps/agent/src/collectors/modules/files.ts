import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { isObject, type JsonObject } from '../json.ts'
import { parseText } from '../parse-text.ts'
import { utf8 } from '../text.ts'
import type { Collect } from './contract.ts'
import { readOptions } from './options.ts'

/** The maximum size of a file in bytes: the service stores documents of at most 65,536 characters. */
const MAX_BYTES = 65_536
const MAX_FILES = 100
const MAX_DEPTH = 32

interface FilesOptions {
  readonly folder: string
  readonly version: string
}

/** Reads the options: `folder`, an absolute path, and `version`, the version of the namespace's documents. */
export function readFilesOptions(given: unknown, at = 'options'): FilesOptions {
  const options = readOptions(given, at)
  const read = { folder: options.path('folder'), version: options.text('version') }
  options.end()
  return read
}

/**
 * Merges the `.json` and `.toml` files of a folder into one document. Each file contributes its top-level members, and no two files may
 * have the same member.
 */
export const filesCollector: Collect = ({ options: given }) => {
  const { folder, version } = readFilesOptions(given)
  const names = readdirSync(folder)
    .filter((name) => !name.startsWith('.') && /\.(json|toml)$/.test(name))
    .sort()
  if (names.length === 0) throw new Error(`${folder} has no .json or .toml file`)
  if (names.length > MAX_FILES) throw new Error(`${folder} has ${names.length} files; at most ${MAX_FILES} are read`)
  const document: Record<string, unknown> = {}
  const owners = new Map<string, string>()
  for (const name of names)
    for (const [key, value] of Object.entries(readMembers(path.join(folder, name)))) {
      const owner = owners.get(key)
      if (owner !== undefined) throw new Error(`${owner} and ${name} in ${folder} both have ${JSON.stringify(key)}; only one may have it`)
      owners.set(key, name)
      // JSON.parse and parseToml create own members, also of the name __proto__, so this code must do the same
      Object.defineProperty(document, key, { value, enumerable: true })
    }
  return { version, document }
}

function readMembers(file: string): JsonObject {
  const stat = statSync(file)
  // a named pipe would never end
  if (!stat.isFile()) throw new Error(`${file} is not a regular file`)
  if (stat.size > MAX_BYTES) throw new Error(`${file} has ${stat.size} bytes, and may have ${MAX_BYTES}`)
  try {
    const text = utf8(readFileSync(file))
    const isToml = file.endsWith('.toml')
    // half of a TOML file can be valid, and then has other values
    if (isToml && !text.endsWith('\n')) throw new Error('it does not end with a line end, so it may be written just now')
    const parsed = parseText(text, { isToml, maxDepth: MAX_DEPTH })
    if (isObject(parsed)) return parsed
    throw new Error('it must be an object')
  } catch (error) {
    throw new Error(`${file}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
