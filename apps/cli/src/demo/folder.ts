import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { DemoError } from './api.ts'

/** What a demo keeps beside its database, so that the next start goes on with it. */
export interface DemoFolder {
  /** The key of the links: the same at every start. */
  readonly key: string
  /** The fleet that was set up to its end. */
  readonly fleet: KeptFleet | undefined
  /** Writes the key, once the database has made the folder its own. */
  keepKey(): void
  keepFleet(fleet: KeptFleet): void
}

export interface KeptFleet {
  readonly hosts: number
  readonly seed: string
}

/** Reads the folder, or draws a key where there is none. Throws DemoError for files that are not the demo's. */
export function openDemoFolder(folder: string): DemoFolder {
  const keyFile = path.join(folder, 'demo.key')
  const fleetFile = path.join(folder, 'demo.json')
  const kept = read(keyFile)?.trim()
  if (kept !== undefined && !/^[\x21-\x7e]{16,512}$/.test(kept))
    throw new DemoError(`${keyFile} holds no key: 16 to 512 printable characters. Delete it; the next start makes another.`)
  const key = kept ?? `gantt_${randomBytes(24).toString('base64url')}`
  return {
    key,
    fleet: parseFleet(fleetFile, read(fleetFile)),
    keepKey() {
      if (kept === undefined) write(keyFile, key)
    },
    keepFleet: (fleet) => write(fleetFile, JSON.stringify(fleet)),
  }
}

function parseFleet(file: string, text: string | undefined): KeptFleet | undefined {
  if (text === undefined) return undefined
  try {
    const { hosts, seed } = JSON.parse(text)
    if (Number.isSafeInteger(hosts) && typeof seed === 'string') return { hosts, seed }
  } catch {
    // told below
  }
  throw new DemoError(`${file} is not what a demo wrote: {"hosts": 200, "seed": "1"}. Delete it; the next start looks at the fleet again.`)
}

function read(file: string): string | undefined {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return undefined
    throw error
  }
}

/** For its owner alone, and whole or not at all. */
function write(file: string, text: string): void {
  const unfinished = `${file}.tmp-${process.pid}`
  fs.writeFileSync(unfinished, `${text}\n`, { mode: 0o600 })
  fs.renameSync(unfinished, file)
}
