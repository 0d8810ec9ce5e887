import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { serverEnvironment, serverIds } from './account.ts'
import type { Binaries } from './binaries.ts'
import { codeOf } from './error.ts'
import type { StateDir } from './state-dir.ts'

export type Settings = Readonly<Record<string, string | number>>

/** Settings on the command line of every start, so that a new release can change them without editing a file. */
const SETTINGS: Settings = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: 100,
  shared_buffers: '64MB',
  wal_level: 'minimal',
  max_wal_senders: 0,
  min_wal_size: '32MB',
  max_wal_size: '512MB',
  io_method: 'sync',
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  jit: 'off',
  max_parallel_workers_per_gather: 0,
  log_min_messages: 'log',
  log_checkpoints: 'off',
  logging_collector: 'off',
  lc_messages: 'C',
  timezone: 'UTC',
}

/** A server process that this process started. Once it has ended, `ended` is its exit code, its signal, or the error. */
export type Launched = { readonly pid: number | undefined; ended?: string }

/** The process id of the server that runs on this data directory; undefined if there is none. */
export function findPostmaster(stateDir: StateDir): number | undefined {
  const pid = readPid(path.join(stateDir.data, 'postmaster.pid'))
  return pid !== undefined && isPostmaster(pid, stateDir) ? pid : undefined
}

/**
 * True if the process with this id is the server of the data directory. The process itself is examined, because a server removes its lock
 * file shortly before it ends.
 */
export function isPostmaster(pid: number, { data }: StateDir): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false // there is no such process, or it belongs to another account; signals to own processes never fail
  }
  // The process id may now belong to another process. On Linux the server is recognised by its working directory, which is the data
  // directory, and on other systems by the name of its program.
  if (process.platform !== 'linux') {
    return spawnSync('ps', ['-p', String(pid), '-o', 'comm='], { encoding: 'utf8' }).stdout.includes('postgres')
  }
  try {
    return fs.readlinkSync(`/proc/${pid}/cwd`) === data
  } catch (error) {
    return codeOf(error) === 'EACCES' // a zombie process has no working directory
  }
}

/**
 * Removes stale lock files. PostgreSQL does so itself, unless their process id now belongs to a zombie or to another process of the
 * account, as after a container's restart. The shared memory of a running server still protects the data from a second server.
 */
export function removeStaleLocks(stateDir: StateDir): void {
  for (const file of [path.join(stateDir.data, 'postmaster.pid'), `${stateDir.socket}.lock`]) {
    const pid = readPid(file)
    if (pid !== undefined && exists(pid) && findPostmaster(stateDir) === undefined) fs.rmSync(file, { force: true })
  }
}

/** Starts a server in a separate session, because Ctrl-C in a terminal must reach only the service, which then stops the server. */
export function launch(stateDir: StateDir, { postgres }: Binaries, settings: Settings): Launched {
  rotate(stateDir.logFile)
  const log = fs.openSync(stateDir.logFile, 'a', 0o600)
  const flags = Object.entries({ ...SETTINGS, ...settings }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child: ChildProcess = spawn(postgres, ['-D', stateDir.data, '-k', stateDir.run, ...flags], {
    ...serverIds,
    cwd: '/',
    detached: true,
    stdio: ['ignore', log, log],
    env: serverEnvironment,
  })
  fs.closeSync(log)
  const launched: Launched = { pid: child.pid }
  child.once('error', (error) => {
    launched.ended = error.message
  })
  child.once('exit', (code, signal) => {
    launched.ended = String(code ?? signal)
  })
  child.unref()
  return launched
}

/** Requests a fast shutdown: sessions are ended, and everything is written. */
export function askToStop(pid: number): void {
  process.kill(pid, 'SIGINT')
}

/** The last lines of the two newest logs, because another process that starts at the same time may rename the log of this process. */
export function readLogTail({ logFile }: StateDir): string {
  const logs = [`${logFile}.1`, logFile].filter((file) => fs.existsSync(file))
  return logs.flatMap((file) => fs.readFileSync(file, 'utf8').trim().split('\n').slice(-6)).join('\n')
}

function rotate(logFile: string): void {
  try {
    fs.renameSync(logFile, `${logFile}.1`)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
}

function readPid(file: string): number | undefined {
  try {
    const pid = Number.parseInt(fs.readFileSync(file, 'utf8'), 10)
    return pid > 0 ? pid : undefined
  } catch {
    return undefined
  }
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}
