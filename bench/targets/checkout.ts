import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of this checkout: the nearest one above this file, or above the bundle that contains it, with a package.json. */
function findRoot(): string {
  for (let folder = path.dirname(fileURLToPath(import.meta.url)); ; folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, 'package.json'))) return folder
    if (folder === path.dirname(folder)) throw new Error(`expected a package.json above ${import.meta.url}, found none`)
  }
}

/** The built program of the command line. `npm run bench` and `npm test` build it before they run anything. */
export function program(): string {
  const file = path.join(findRoot(), 'apps', 'cli', 'dist', 'main.js')
  if (!existsSync(file)) throw new Error(`expected the built command line at ${file}, found none; run npm run build`)
  return file
}
