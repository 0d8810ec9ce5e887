import path from 'node:path'
import { DemoError } from './api.ts'
import { readIfExists, readOrDrawKey, writePrivate } from './private-files.ts'

/** The files of a demo next to its database, so that the next start continues with the same fleet and key. */
export interface DemoFolder {
  /** The key in the printed links: the key that the user set, otherwise a generated key, which is the same at every start. */
  readonly key: string
  /** The fleet whose set-up was completed; undefined if there is none yet. */
  readonly fleet: KeptFleet | undefined
  /** Writes the key if it was generated. Called once the database has created the folder. */
  keepKey(): void
  keepFleet(fleet: KeptFleet): void
}

export interface KeptFleet {
  readonly hosts: number
  readonly seed: string
}

/** Reads the folder. Generates a key if none is set and the folder has none. Throws DemoError if a file has invalid contents. */
export function openDemoFolder(folder: string, givenKey?: string): DemoFolder {
  const keyFile = path.join(folder, 'demo.key')
  const fleetFile = path.join(folder, 'demo.json')
  const found = givenKey === undefined ? readOrDrawKey(keyFile) : { key: givenKey, isKept: true }
  if (found === undefined)
    throw new DemoError(`${keyFile} has no valid key: 16 to 512 printable characters. Delete it; the next start generates another key.`)
  const { key, isKept } = found
  return {
    key,
    fleet: parseFleet(fleetFile, readIfExists(fleetFile)),
    keepKey() {
      if (!isKept) writePrivate(keyFile, key)
    },
    keepFleet: (fleet) => writePrivate(fleetFile, JSON.stringify(fleet)),
  }
}

function parseFleet(file: string, text: string | undefined): KeptFleet | undefined {
  if (text === undefined) return undefined
  try {
    const { hosts, seed } = JSON.parse(text)
    if (Number.isSafeInteger(hosts) && typeof seed === 'string') return { hosts, seed }
  } catch {
    // Invalid JSON is reported below, like JSON that lacks the expected fields.
  }
  throw new DemoError(
    `${file} is not a file of a demo, such as {"hosts": 200, "seed": "1"}. Delete it; the next start sets up the fleet again.`,
  )
}
