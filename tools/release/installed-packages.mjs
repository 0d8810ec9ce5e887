// Finds the third-party packages of an installed Gantt, from package-lock.json and the package.json files of this repository.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { installedDependencies } from '../package-doors.mjs'
import { root } from '../prepare.mjs'

const { packages: locked } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'))

/**
 * The keys in the lock (`apps/server`, `node_modules/pg`, ...) of the command line and of all packages that it needs, including those for
 * other platforms. With `isBuilt`, packages that are bundled into the files of others are left out, as in the tarballs.
 */
export function installedPlaces({ isBuilt }) {
  const found = new Set()
  const visit = (folder) => {
    if (found.has(folder)) return
    found.add(folder)
    const entry = locked[folder]
    const dependencies = folder.includes('node_modules/') || !isBuilt ? entry.dependencies : installedDependencies(manifestOf(folder))
    for (const name of Object.keys({ ...dependencies, ...entry.optionalDependencies })) visit(placeOf(name, folder))
  }
  visit('apps/cli')
  return [...found].sort()
}

export const isOwn = (folder) => !folder.includes('node_modules/')
export const nameOf = (folder) => folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length)
export const lockedAt = (folder) => locked[folder]

const manifestOf = (folder) => JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8'))

/** The folder in which Node finds an imported package: below the importer, or above it. */
function placeOf(name, importer) {
  for (let folder = importer; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const place = path.posix.join(folder, 'node_modules', name)
    if (locked[place] !== undefined) return locked[place].link ? locked[place].resolved : place
    if (folder === '') throw new Error(`package-lock.json has no ${name}, which ${importer} needs: run npm run lock`)
  }
}
