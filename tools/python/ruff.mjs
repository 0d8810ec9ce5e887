// Runs ruff on the sources of the Python client, with the settings of its pyproject.toml. Ruff is npm's @astral-sh/ruff-wasm-nodejs, a
// library without a command, which checks one text at a time and knows no files. `node tools/python/ruff.mjs` prints what it finds, and
// exits with 1 if there is anything; `--write` also writes the sources in ruff's format.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import ruff from '@astral-sh/ruff-wasm-nodejs'
import { root } from '../prepare.mjs'

const CLIENT = path.join(root, 'clients/python')
const NOT_SOURCES = new Set(['build', 'debian', 'dist', 'node_modules', '__pycache__'])
/** The patterns of per-file-ignores that are understood here. */
const PATTERN = /^[\w./*-]+$/
const READ_SETTINGS = 'import json, sys, tomllib; print(json.dumps(tomllib.load(sys.stdin.buffer)["tool"]["ruff"]))'

/** What ruff finds in files, each `{ file, text }`, as lines `file:row:column: code message`. `settings` is the table [tool.ruff]. */
export function findings(files, settings) {
  const { 'per-file-ignores': perFile = {}, ...lint } = settings.lint ?? {}
  const workspaces = new Map()
  const workspaceFor = (file) => {
    const ignore = [...(lint.ignore ?? []), ...ignoredIn(file, perFile)]
    const key = ignore.join()
    if (!workspaces.has(key))
      workspaces.set(key, new ruff.Workspace({ ...settings, lint: { ...lint, ignore } }, ruff.PositionEncoding.Utf32))
    return workspaces.get(key)
  }
  return files.flatMap(({ file, text }) => {
    const workspace = workspaceFor(file)
    const found = workspace
      .check(text)
      .map(({ code, message, start_location: { row, column } }) => `${file}:${row}:${column}: ${code ?? 'syntax error'} ${message}`)
    const isFormatted = found.length > 0 || workspace.format(text) === text
    return isFormatted ? found : [`${file}:1:1: not in ruff's format: run node tools/python/ruff.mjs --write`]
  })
}

/** The rules that are switched off in a file: those of each pattern that matches its path or its name. A star stands for any text. */
function ignoredIn(file, perFile) {
  return Object.entries(perFile).flatMap(([pattern, rules]) => {
    if (!PATTERN.test(pattern))
      throw new Error(
        `per-file-ignores of pyproject.toml has the pattern ${pattern}: only letters, digits, ".", "/", "-", "_", "*" are read`,
      )
    const expression = new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*')}$`)
    return expression.test(file) || expression.test(path.posix.basename(file)) ? rules : []
  })
}

/** The Python files in a folder, with paths relative to it. */
export function pythonFiles(folder, within = '') {
  return readdirSync(path.join(folder, within), { withFileTypes: true }).flatMap((entry) => {
    const file = path.posix.join(within, entry.name)
    if (entry.isDirectory()) return NOT_SOURCES.has(entry.name) || entry.name.startsWith('.') ? [] : pythonFiles(folder, file)
    return entry.name.endsWith('.py') ? [{ file, text: readFileSync(path.join(folder, file), 'utf8') }] : []
  })
}

/** The table [tool.ruff] of a folder's pyproject.toml. It is read with Python (3.11 or newer), because Node cannot read TOML. */
export function ruffSettings(folder, python = 'python3') {
  const { status, stdout, stderr, error } = spawnSync(python, ['-c', READ_SETTINGS], {
    input: readFileSync(path.join(folder, 'pyproject.toml')),
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${python} could not read pyproject.toml (Python 3.11 or newer is needed): ${error?.message ?? stderr}`)
  return JSON.parse(stdout)
}

function writeFormatted(folder, files, settings) {
  const workspace = new ruff.Workspace(settings, ruff.PositionEncoding.Utf32)
  for (const { file, text } of files) {
    const formatted = workspace.format(text)
    if (formatted !== text) writeFileSync(path.join(folder, file), formatted)
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [folder = CLIENT] = process.argv.slice(2).filter((argument) => argument !== '--write')
  const settings = ruffSettings(folder)
  if (process.argv.includes('--write')) writeFormatted(folder, pythonFiles(folder), settings)
  const found = findings(pythonFiles(folder), settings)
  for (const line of found) process.stdout.write(`${line}\n`)
  process.exitCode = found.length === 0 ? 0 : 1
}
