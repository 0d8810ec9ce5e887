// Checks the sizes of files, folders and functions. Run as a command (a static check), it prints those that are too large, and exits with 1
// if there are any. long-functions.mjs lists functions that may be longer, with the reasons.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import ts from 'typescript'
import { root } from '../prepare.mjs'
import { longFunctions, ONE_TREE, PARTS } from './long-functions.mjs'

const MAX_LINES = 400
const MAX_LINES_OF_PYTHON = 300
const MAX_FILES = 25
const MAX_LINES_OF_FUNCTION = 70
const FOLDERS = ['apps', 'bench', 'clients', 'docs', 'e2e', 'examples', 'packages', 'prisma', 'testing', 'tools']
/** Folders that are installed, built or generated, and applied migrations, which must not change. */
const NOT_SOURCES = new Set(['node_modules', 'dist', 'generated', '.turbo', 'migrations'])
/** Matches the names of files that are checked as sources. Documents, images and recorded data are not checked. */
export const SOURCE = /\.(ts|tsx|mjs|cjs|js|css|prisma|grit|py)$/
/** The files whose functions are measured. Tests are excluded, because they are tables and lists of calls. */
const CODE = /^(apps|clients|packages|tools|bench)\/.*\.(ts|tsx|mjs)$/
const TEST = /\.(test|suite|spec)\.tsx?$|\/(testing|api-tests)\//

/**
 * The files and folders that are too large, as sentences. If files are given, only the listed long functions of these files are checked.
 */
export function tooLarge(given) {
  const files = given ?? sourceFiles()
  const faults = []
  const inFolder = new Map()
  const found = new Map()
  for (const { file, text } of files) {
    const lines = text.split('\n').length - 1
    const most = file.endsWith('.py') ? MAX_LINES_OF_PYTHON : MAX_LINES
    if (lines > most) faults.push(`${file} has ${lines} lines, at most ${most} are allowed: split it by what it holds`)
    const folder = path.posix.dirname(file)
    inFolder.set(folder, (inFolder.get(folder) ?? 0) + 1)
    if (CODE.test(file) && !TEST.test(file)) for (const one of functionsIn(file, text)) found.set(one.name, one)
  }
  for (const [folder, count] of inFolder)
    if (count > MAX_FILES) faults.push(`${folder} has ${count} sources, at most ${MAX_FILES} are allowed: make folders by subject`)
  const names = given && new Set(given.map(({ file }) => file))
  const isChecked = (name) => names === undefined || names.has(name.split(' ')[0])
  return [...faults, ...functionFaults(found, isChecked)]
}

function functionFaults(found, isChecked) {
  const faults = []
  for (const { name, lines } of found.values())
    if (!longFunctions.has(name))
      faults.push(`${name} has ${lines} lines, at most ${MAX_LINES_OF_FUNCTION} are allowed: shorten it, or list it with a reason`)
  for (const [name, reason] of longFunctions) {
    if (!isChecked(name)) continue
    const one = found.get(name)
    if (one === undefined)
      faults.push(`${name} is listed as a long function, but is not one: take it out of tools/checks/long-functions.mjs`)
    else if (reason === PARTS && one.ownLines > MAX_LINES_OF_FUNCTION)
      faults.push(`${name} is listed as made of inner functions, and has ${one.ownLines} lines besides them: shorten it`)
    else if (reason === ONE_TREE && one.linesBeforeTree > MAX_LINES_OF_FUNCTION)
      faults.push(`${name} is listed as one tree of elements, and has ${one.linesBeforeTree} lines besides it: shorten it`)
  }
  return faults
}

/**
 * The functions of a file that are too long, each with three line counts: all lines, those outside of inner functions, and those outside of
 * elements.
 */
function functionsIn(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const lineOf = (position) => source.getLineAndCharacterOfPosition(position).line
  const linesOf = (node) => lineOf(node.end) - lineOf(node.getStart(source)) + 1
  const found = []
  const visit = (node) => {
    if (ts.isFunctionLike(node) && node.body !== undefined && linesOf(node) > MAX_LINES_OF_FUNCTION) {
      const without = (isLeftOut) => {
        let left = 0
        const look = (inner) => {
          if (isLeftOut(inner)) left += linesOf(inner) - 1
          else ts.forEachChild(inner, look)
        }
        ts.forEachChild(node.body, look)
        return linesOf(node) - left
      }
      const isInner = (inner) => ts.isFunctionLike(inner) && inner.body !== undefined
      found.push({
        name: `${file} ${nameOf(node, source)}`,
        lines: linesOf(node),
        ownLines: without(isInner),
        linesBeforeTree: without(
          (inner) => ts.isJsxElement(inner) || ts.isJsxFragment(inner) || ts.isJsxSelfClosingElement(inner) || isInner(inner),
        ),
      })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** The name of a function, or that of the function to which it is passed, such as `useEffect`. */
function nameOf(node, source) {
  const named = node.name ?? node.parent.name ?? node.parent.expression
  return named?.getText(source) ?? 'function'
}

/** All sources of the checkout, with their texts. */
export function sourceFiles() {
  return FOLDERS.flatMap(sourcesIn).map((file) => ({ file, text: readFileSync(path.join(root, file), 'utf8') }))
}

function sourcesIn(folder) {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = `${folder}/${entry.name}`
    if (entry.isDirectory()) return NOT_SOURCES.has(entry.name) ? [] : sourcesIn(file)
    return SOURCE.test(entry.name) ? [file] : []
  })
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const faults = tooLarge()
  for (const fault of faults) process.stdout.write(`${fault}\n`)
  process.exitCode = faults.length === 0 ? 0 : 1
}
