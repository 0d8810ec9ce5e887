// Checks the size of what a browser has to load for the console, as built by `vite build` and compressed by gzip -9: the JavaScript of the
// initial route, what each page adds, what a part that is loaded later adds to its page, and the style sheets. Prints one line if all sizes
// are within their limits, and a table otherwise. 1 KB is 1,000 bytes.
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const LIMITS = { initial: 250, page: 45, styles: 40 }

const folder = fileURLToPath(new URL('../../apps/console/dist', import.meta.url))
const manifest = JSON.parse(readFileSync(path.join(folder, 'manifest.json'), 'utf8'))
const entries = Object.keys(manifest).filter((key) => manifest[key].isEntry)
const initial = chunksOf(entries)
const pages = Object.keys(manifest).filter((key) => manifest[key].isDynamicEntry)

const rows = [
  { what: 'initial route, JavaScript', bytes: sizeOf(filesOf(initial)), limit: LIMITS.initial },
  ...pages.map((key) => ({
    what: `page ${manifest[key].name}, JavaScript`,
    bytes: sizeOf(filesOf(chunksOf([key]).filter((chunk) => !thereBefore(key).includes(chunk)))),
    limit: LIMITS.page,
  })),
  { what: 'style sheets, all', bytes: sizeOf(stylesOf(Object.keys(manifest))), limit: LIMITS.styles },
].map((row) => ({ ...row, isOver: row.bytes > row.limit * 1_000 }))

if (entries.length === 0 || pages.length === 0) fail('the manifest of the console names no entry or no lazy page')
if (rows.some(({ isOver }) => isOver)) {
  const width = Math.max(...rows.map(({ what }) => what.length))
  for (const { what, bytes, limit, isOver } of rows)
    say(`${isOver ? 'OVER ' : 'ok   '} ${what.padEnd(width)} ${toKb(bytes).padStart(7)} KB of ${String(limit).padStart(3)} KB`)
  fail('the console is larger than its limits: load with each page what only that page needs, or remove it')
}
const [first, ...others] = rows
const largest = others.slice(0, -1).reduce((one, other) => (other.bytes > one.bytes ? other : one))
say(
  `console, gzip: initial ${toKb(first.bytes)} of ${first.limit} KB, largest page (${manifest[pages[others.indexOf(largest)]].name}) ` +
    `${toKb(largest.bytes)} of ${largest.limit} KB, styles ${toKb(others.at(-1).bytes)} of ${others.at(-1).limit} KB`,
)

/** The chunks that are loaded with the chunks `keys`: these chunks, and everything that they import before they run. */
function chunksOf(keys) {
  const found = new Set()
  const visit = (key) => {
    if (found.has(key)) return
    found.add(key)
    for (const imported of manifest[key].imports ?? []) visit(imported)
  }
  for (const key of keys) visit(key)
  return [...found]
}

/**
 * The chunks that have already been loaded when a chunk is loaded: those of the initial route, and those that are loaded with each of the
 * chunks that import it.
 */
function thereBefore(key) {
  const openers = Object.keys(manifest).filter((one) => manifest[one].dynamicImports?.includes(key))
  const [first = [], ...others] = openers.map((opener) => chunksOf([opener]))
  return [...initial, ...first.filter((chunk) => others.every((chunks) => chunks.includes(chunk)))]
}

function filesOf(keys) {
  return unique(keys.map((key) => manifest[key].file).filter((file) => file.endsWith('.js')))
}

function stylesOf(keys) {
  return unique(keys.flatMap((key) => [...(manifest[key].css ?? []), manifest[key].file]).filter((file) => file.endsWith('.css')))
}

function unique(files) {
  return [...new Set(files)]
}

function sizeOf(files) {
  return files.reduce((sum, file) => sum + statSync(path.join(folder, `${file}.gz`)).size, 0)
}

function toKb(bytes) {
  return (bytes / 1_000).toFixed(1)
}

function say(text) {
  process.stdout.write(`${text}\n`)
}

function fail(text) {
  say(text)
  process.exit(1)
}
