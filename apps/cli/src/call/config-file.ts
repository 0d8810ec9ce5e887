import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { CommandFailure, EXIT } from './failure.ts'

/** The contents of the config file: the URL of the service and a key. */
export interface ConfigFile {
  readonly file: string
  readonly url?: string
  readonly key?: string
  /** Shown to the user before the command starts. */
  readonly warnings: readonly string[]
}

const FIELDS = ['url', 'key']

/**
 * Reads the file that `GANTT_CONFIG` names, or otherwise the default one in the home folder. A default file that does not exist is read as
 * empty.
 */
export function readConfigFile(environment: NodeJS.ProcessEnv): ConfigFile {
  const named = environment.GANTT_CONFIG || undefined
  const folder = environment.XDG_CONFIG_HOME || path.join(environment.HOME || os.homedir(), '.config')
  const file = named ?? path.join(folder, 'gantt', 'config.json')
  let text: string
  try {
    text = fs.readFileSync(file, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    if (named === undefined && code === 'ENOENT') return { file, warnings: [] }
    throw new CommandFailure(EXIT.usage, `the config file ${file} cannot be read: ${code}`)
  }
  return { ...parse(file, text), file, warnings: warningsAbout(file, text) }
}

function parse(file: string, text: string): { readonly url?: string; readonly key?: string } {
  const refuse = (why: string) => new CommandFailure(EXIT.usage, `the config file ${file} ${why}`)
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch {
    throw refuse('is not JSON; it must be like {"url": "http://127.0.0.1:4400", "key": "gantt_..."}')
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) throw refuse('must contain one JSON object')
  const read: { url?: string; key?: string } = {}
  for (const [field, value] of Object.entries(content)) {
    if (field !== 'url' && field !== 'key')
      throw refuse(`has the unknown field ${JSON.stringify(field)}; known are ${FIELDS.join(' and ')}`)
    if (typeof value !== 'string' || value === '') throw refuse(`has an invalid ${field}; it must be a text that is not empty`)
    read[field] = value
  }
  return read
}

/** Warns if the file contains a key and its mode gives any right to users other than its owner. */
function warningsAbout(file: string, text: string): readonly string[] {
  const mode = fs.statSync(file).mode & 0o777
  if (process.platform === 'win32' || !text.includes('"key"') || (mode & 0o077) === 0) return []
  return [`${file} contains a key, and other users can read it (mode ${mode.toString(8)}); run chmod 600 on it`]
}
