import { existsSync } from 'node:fs'
import path from 'node:path'

// Recorded verdicts and traces are not in the repository. They are in a separate folder, which may be missing. Only this module knows its
// path, and only test files import it, so that `npm run test:without-shared` finds every test that needs the folder.

/** Data of the shared folder that a test reads. */
export interface SharedData {
  /** The absolute path. */
  readonly path: string
  readonly isMissing: boolean
  /** A suffix for the titles of tests that need the data. It states why they are skipped. Empty if the data exists. */
  readonly skipNote: string
}

const CHECKOUT = path.resolve(import.meta.dirname, '..')
const folder = findFolder(process.env.GANTT_SHARED)

/** The file or folder with this name in the shared folder, such as `conformance/cases`. */
export function sharedData(name: string): SharedData {
  const file = path.join(folder, name)
  const isMissing = folder === '' || !existsSync(file)
  return { path: file, isMissing, skipNote: isMissing ? ` [skipped: there is no ${name} in the shared folder (GANTT_SHARED)]` : '' }
}

/**
 * The shared folder that GANTT_SHARED names. If the variable is unset, it is the folder next to the checkout, which may be missing. If the
 * variable is empty, there is no shared folder. Throws an error if the variable names a folder that does not exist.
 */
function findFolder(setting: string | undefined): string {
  if (setting === undefined) return path.join(CHECKOUT, '..', 'shared')
  if (setting === '') return ''
  const named = path.resolve(CHECKOUT, setting)
  if (!existsSync(named)) throw new Error(`GANTT_SHARED names ${named}, which does not exist; unset it, or leave it empty for none`)
  return named
}
