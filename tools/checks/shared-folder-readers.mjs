// Checks which files read the shared folder. Only test files may, and only through `testing/shared-folder.ts`, because `npm run
// test:without-shared` would not find other accesses. Run as a command (a static check), it prints the problems, and exits with 1 if there
// are any.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from '../prepare.mjs'

const DOOR = 'testing/shared-folder.ts'
const FOLDERS = ['apps', 'bench', 'docs', 'e2e', 'packages', 'testing', 'tools']
const NOT_SOURCES = new Set(['node_modules', 'dist', 'generated', '.turbo'])
/** Matches the path of the folder, written as one string or as two. A folder of the repository must not have this name. */
const NAMES_FOLDER = /\.\.\/shared(?![\w.-])|['"`]\.\.['"`],\s*['"`]shared\b/
const IMPORTS_DOOR = /from '[./]*\/testing\/shared-folder\.ts'/

/** The files that read the shared folder, and the files that name it in a way that is not allowed. */
export function sharedFolderReaders() {
  const sources = FOLDERS.flatMap(sourcesIn).map((file) => ({ file, text: readFileSync(path.join(root, file), 'utf8') }))
  const faults = []
  for (const { file, text } of sources)
    if (file !== DOOR && NAMES_FOLDER.test(text) && file !== 'tools/checks/shared-folder-readers.mjs')
      faults.push(
        `${file} has ../shared in a path; read the shared folder with sharedData of ${DOOR}, and name other folders without ../shared`,
      )
  const readers = sources.filter(({ text }) => IMPORTS_DOOR.test(text)).map(({ file }) => file)
  for (const file of readers)
    if (!file.endsWith('.test.ts')) faults.push(`${file} imports ${DOOR}, which is for test files (*.test.ts) only`)
  if (readers.length === 0) faults.push(`no file imports ${DOOR}; there is nothing to check`)
  return { readers, faults }
}

function sourcesIn(folder) {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = `${folder}/${entry.name}`
    if (entry.isDirectory()) return NOT_SOURCES.has(entry.name) ? [] : sourcesIn(file)
    return /\.(ts|tsx|mjs|cjs)$/.test(entry.name) ? [file] : []
  })
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { faults } = sharedFolderReaders()
  for (const fault of faults) process.stdout.write(`${fault}\n`)
  process.exitCode = faults.length === 0 ? 0 : 1
}
