// Makes a checkout ready to run. It installs the packages of the lock, then generates and builds what is missing or older than its sources.
// It uses only Node, because it runs first in a fresh clone. Progress is printed on standard error.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

/** Environment variables that switch off telemetry and update checks of all programs that the tools start. */
export const quietEnvironment = {
  TURBO_TELEMETRY_DISABLED: '1',
  TURBO_NO_UPDATE_NOTIFIER: '1',
  DO_NOT_TRACK: '1',
  CHECKPOINT_DISABLE: '1',
  PRISMA_HIDE_UPDATE_MESSAGE: '1',
}

const RESULTS = [
  'packages/scheduler-core/dist/index.js',
  'packages/client/dist/index.js',
  'packages/client/src/generated/graphql-env.d.ts',
  'apps/server/dist/index.js',
  'apps/agent/dist/index.js',
  'apps/server/src/generated/prisma/client.ts',
  'apps/cli/dist/main.js',
  'packages/proofs/dist/index.js',
  'apps/console/src/generated/graphql-env.d.ts',
  'apps/console/dist/index.html',
]
const SOURCES = ['package-lock.json', 'tsconfig.json', 'prisma/schema', 'tools/build.mjs', 'tools/package-doors.mjs', 'apps', 'packages']
const NOT_SOURCES = new Set(['node_modules', 'dist', 'generated', '.turbo'])
/** The file with the state of the sources at the last build. */
const stamp = path.join(root, 'node_modules', '.cache', 'gantt', 'built.txt')
/** The file with the id of the process that is building. It exists only during a build. */
const builder = path.join(root, 'node_modules', '.cache', 'gantt', 'builder.txt')
const WAIT_MS = 200

/** Ends the process with a message if the checkout cannot be made ready. */
export function prepare() {
  assertNodeVersion()
  if (!isInstalled()) install()
  const now = fingerprint()
  if (isBuilt(now)) return
  mkdirSync(path.dirname(stamp), { recursive: true })
  oneAtATime(() => {
    if (isBuilt(now)) return
    build()
    writeFileSync(stamp, now)
  })
}

/**
 * Runs the work while no other build runs, because two builds would delete each other's files. A later build waits until the first one ends
 * or its process no longer exists.
 */
function oneAtATime(work) {
  while (!becomesBuilder()) {
    if (isRunning(builderPid())) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS)
    else rmSync(builder, { force: true })
  }
  try {
    work()
  } finally {
    rmSync(builder, { force: true })
  }
}

/**
 * Registers this process as the one that builds. Returns false if another process is registered. The file with the id is created as a hard
 * link to a complete file, so that no reader sees it without the id.
 */
function becomesBuilder() {
  const own = `${builder}.${process.pid}`
  writeFileSync(own, String(process.pid))
  try {
    linkSync(own, builder)
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(own)
  }
}

function builderPid() {
  try {
    return Number(readFileSync(builder, 'utf8'))
  } catch (error) {
    // The other build has ended meanwhile.
    if (error.code === 'ENOENT') return undefined
    throw error
  }
}

function isRunning(pid) {
  if (pid === undefined) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** Runs a tool of node_modules directly with Node, so that no shell interprets the path of the checkout. */
export function runTool(file, args, options = {}) {
  return spawnSync(process.execPath, [path.join(root, 'node_modules', file), ...args], {
    cwd: root,
    stdio: 'inherit',
    ...options,
    env: { ...process.env, ...quietEnvironment, ...options.env },
  })
}

export const tools = {
  biome: '@biomejs/biome/bin/biome',
  depcruise: 'dependency-cruiser/bin/dependency-cruise.mjs',
  playwright: '@playwright/test/cli.js',
  // The native compiler takes a fifth of the time. `typescript` is the library that other tools use; it has no native version yet.
  tsc: 'typescript7/bin/tsc',
  turbo: 'turbo/bin/turbo',
  vitest: 'vitest/vitest.mjs',
}

/**
 * The options of a type check. It uses one checker, because each of several checkers would compute the types of the GraphQL documents
 * again, and `npm test` runs two checks at the same time.
 */
const CHECK_TYPES = ['--noEmit', '--checkers', '1', '-p']
/**
 * The type checks: name, tool, arguments. All of them must succeed. All code that runs in Node is checked as one program. Packages are
 * checked from their sources, so a program for each package, as in `turbo run check`, would check the core five times.
 */
export const typeChecks = [
  ['type check', tools.tsc, [...CHECK_TYPES, 'tsconfig.node.json']],
  ['type check of the console', tools.tsc, [...CHECK_TYPES, 'apps/console']],
  ['type check of the browser tests', tools.tsc, [...CHECK_TYPES, 'e2e']],
]

function assertNodeVersion() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  giveUp(`Node ${process.versions.node} is too old; 20.19 or newer is needed.`)
}

/**
 * True if node_modules has the packages of package-lock.json. The contents are compared, because file times are meaningless after a
 * checkout or a copy.
 */
function isInstalled() {
  const installed = readLock('node_modules/.package-lock.json')
  if (installed === undefined) return false
  return Object.entries(readLock('package-lock.json')).every(([key, wanted]) => {
    if (!key.includes('node_modules/')) return true
    const found = installed[key]
    return found === undefined ? wanted.optional === true : found.version === wanted.version
  })
}

function readLock(file) {
  try {
    return JSON.parse(readFileSync(path.join(root, file), 'utf8')).packages
  } catch {
    return undefined
  }
}

function install() {
  say('Installing packages (npm ci) ...')
  const flags = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error']
  const npm = process.env.npm_execpath
  const options = { cwd: root, stdio: ['ignore', 2, 2], env: { ...process.env, ...quietEnvironment } }
  const isScript = npm !== undefined && /npm-cli\.c?js$/.test(npm)
  const { status, error } = isScript ? spawnSync(process.execPath, [npm, ...flags], options) : spawnSync('npm', flags, options)
  if (status !== 0) giveUp(`npm ci failed${error ? `: ${error.message}` : '.'}`)
}

function isBuilt(now) {
  if (!RESULTS.every((file) => existsSync(path.join(root, file)))) return false
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === now
}

function build() {
  say('Building ...')
  const { status } = runTool(tools.turbo, ['run', 'build', '--output-logs=errors-only'], { stdio: ['ignore', 2, 2] })
  if (status !== 0) giveUp('The build failed; the reason is above.')
}

/** A value that changes when any source changes. It is computed only from names, sizes and times; turbo then compares the contents. */
function fingerprint() {
  const hash = createHash('sha256')
  const visit = (file) => {
    const found = statSync(path.join(root, file), { throwIfNoEntry: false })
    if (found === undefined) return
    if (!found.isDirectory()) return void hash.update(`${file}\0${found.size}\0${found.mtimeMs}\n`)
    for (const name of readdirSync(path.join(root, file)).sort()) if (!NOT_SOURCES.has(name)) visit(path.join(file, name))
  }
  for (const file of SOURCES) visit(file)
  return hash.digest('hex')
}

function say(text) {
  process.stderr.write(`${text}\n`)
}

function giveUp(text) {
  say(text)
  process.exit(1)
}
