import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { isRoot, serverIds, serverUid } from './account.ts'
import { codeOf, EmbeddedPostgresError } from './error.ts'

/** The folders of one embedded server. Symbolic links are resolved, so that the same folder always has the same name. */
export type StateDir = {
  readonly root: string
  /** The database directory (PGDATA). */
  readonly data: string
  /** The folder of the Unix socket. */
  readonly run: string
  readonly socket: string
  readonly logFile: string
  readonly passwordFile: string
}

/** The maximum length of a socket's path in bytes on macOS. On Linux it is 107. */
const LONGEST_SOCKET_PATH_BYTES = 103
const SOCKET_NAME = '.s.PGSQL.5432'

/** `GANTT_DATA_DIR` if set, otherwise the system's folder for the state of services or of the user's programs. */
export function defaultStateDir(environment: NodeJS.ProcessEnv = process.env): string {
  if (environment.GANTT_DATA_DIR) return environment.GANTT_DATA_DIR
  if (isRoot) return '/var/lib/gantt'
  return path.join(environment.XDG_STATE_HOME || path.join(os.homedir(), '.local', 'state'), 'gantt')
}

/**
 * Creates the directory if necessary. Under root, makes it accessible to the server's account; otherwise checks that this process can write
 * to it.
 */
export function openStateDir(stateDir: string): StateDir {
  makeFolder(path.resolve(stateDir))
  const root = fs.realpathSync(stateDir)
  assertDatabase(path.join(root, 'data'))
  if (isRoot) handOver(root)
  else fs.accessSync(root, fs.constants.W_OK | fs.constants.X_OK)

  const data = path.join(root, 'data')
  const run = openSocketDir(root)
  return {
    root,
    data,
    run,
    socket: path.join(run, SOCKET_NAME),
    logFile: path.join(root, 'postgres.log'),
    passwordFile: path.join(data, 'gantt.password'),
  }
}

/**
 * Throws if the folder exists and is not a database. A database is created completely or not at all, so a folder without the file
 * PG_VERSION is not a database.
 */
function assertDatabase(data: string): void {
  if (!fs.existsSync(data) || fs.existsSync(path.join(data, 'PG_VERSION'))) return
  throw new EmbeddedPostgresError(
    'postgres.state_dir_foreign',
    `${data} exists and contains no database (it has no file PG_VERSION). Nothing was changed. Remove it, restore it from a backup, or choose another folder with GANTT_DATA_DIR.`,
  )
}

function makeFolder(folder: string): void {
  const first = madeFirst(folder)
  if (first === undefined || !isRoot) return
  // the server's account must be able to enter the created folders
  for (let above = path.dirname(folder); above.startsWith(first); above = path.dirname(above)) fs.chmodSync(above, 0o711)
}

/** Creates a folder and its parents. Returns the outermost created folder. */
function madeFirst(folder: string): string | undefined {
  // folders are created one by one, because Node retries for ever on file systems that create none, such as /proc
  const missing: string[] = []
  for (let above = folder; !fs.existsSync(above) && path.dirname(above) !== above; above = path.dirname(above)) missing.unshift(above)
  try {
    for (const one of missing) fs.mkdirSync(one, { mode: 0o700 })
    if (fs.statSync(folder).isDirectory()) return missing[0]
  } catch (cause) {
    if (!['EEXIST', 'ENOTDIR', 'ENOENT'].includes(codeOf(cause) ?? '')) throw cause
    if (fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return missing[0]
  }
  throw new EmbeddedPostgresError(
    'postgres.state_dir_foreign',
    `${folder} cannot be used as a folder: it is a file, is inside of one, or cannot be created. Choose another folder for the data with GANTT_DATA_DIR.`,
  )
}

/**
 * Makes root the owner of the directory, and lets the server's group enter it. Throws if the directory has content, but none of this
 * service.
 */
function handOver(root: string): void {
  const names = fs.readdirSync(root)
  const isOurs = names.length === 0 || names.some((name) => /^(data|run|postgresql-.*|postgres\.log|\..*\.tmp-.*)$/.test(name))
  if (!isOurs) {
    const found = `${root} is not empty and contains no database of this service (found: ${names.slice(0, 3).join(', ')}).`
    throw new EmbeddedPostgresError('postgres.state_dir_foreign', `${found} Choose an empty or new directory.`)
  }
  fs.chownSync(root, 0, serverIds?.gid ?? 0)
  fs.chmodSync(root, 0o710)
}

/**
 * The folder of the socket. If the path of the state directory is too long for a socket, a private folder below /tmp is used, named after
 * the state directory.
 */
function openSocketDir(root: string): string {
  const near = path.join(root, 'run')
  const isShort = Buffer.byteLength(path.join(near, SOCKET_NAME)) <= LONGEST_SOCKET_PATH_BYTES
  const run = isShort ? near : path.join('/tmp', `gantt-${createHash('sha256').update(root).digest('hex').slice(0, 16)}`)
  try {
    fs.mkdirSync(run, { mode: 0o700 })
    if (serverIds) fs.chownSync(run, serverIds.uid, serverIds.gid)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
  assertPrivate(run)
  return run
}

/** Throws if the folder belongs to another user or other users can enter it, because every user can create folders below /tmp. */
function assertPrivate(run: string): void {
  const found = fs.lstatSync(run)
  if (found.isDirectory() && found.uid === serverUid && (found.mode & 0o077) === 0) return
  const mode = (found.mode & 0o777).toString(8)
  throw new EmbeddedPostgresError(
    'postgres.socket_dir_foreign',
    `${run} belongs to uid ${found.uid} with mode ${mode}; it must be a directory of uid ${serverUid} with mode 700. Remove it or choose another state directory.`,
  )
}
