import fs from 'node:fs'
import path from 'node:path'
import { CommandFailure, EXIT } from '../../call/failure.ts'
import { readIfExists, readOrDrawKey, writePrivate } from '../demo/private-files.ts'
import { createPidFile } from './pid-file.ts'
import { type Plan, parsePlan } from './plan.ts'

/** The folder of one cluster: its plan, its key, and the files of each process. */
export interface ClusterFolder {
  /** The path, with symbolic links resolved. */
  readonly path: string
  readonly keyFile: string
  /** The admin key of the service. It is the same at every start. */
  readonly key: string
  /** Undefined before the first start. */
  readonly plan: Plan | undefined
  /** Writes the plan. The first call also writes the key. */
  keepPlan(plan: Plan): void
  /** Runs the work under a lock. Meanwhile, no other command can change this cluster. */
  alone<T>(work: () => Promise<T>): Promise<T>
  /**
   * Removes all files of the cluster and the folder `socketFolder`, which may be outside of the cluster's folder. The cluster's folder is
   * then removed if it is empty.
   */
  purge(socketFolder: string | undefined): void
}

const PLAN = 'cluster.json'
const KEY = 'admin.key'
const BUSY = 'busy.pid'
const OURS = /^(cluster\.json|admin\.key|busy\.pid|postgres|nats-\d+(\.conf|\.log|\.pid)?|replica-\d+\.(log|pid))(\.tmp-\d+)?$/

/** Opens the folder of an existing cluster. Throws CommandFailure if there is none. */
export function findClusterFolder(dir: string, up: string): ClusterFolder {
  if (readIfExists(path.join(dir, PLAN)) === undefined) throw refused(`there is no cluster in ${dir}; "${up}" makes one`)
  return readClusterFolder(dir)
}

/**
 * Opens the folder, and creates it if it does not exist. Throws CommandFailure if it cannot be written, or if it has other files and no
 * cluster.
 */
export function openClusterFolder(dir: string): ClusterFolder {
  try {
    // If root starts the cluster, the database runs under another account, which must be able to enter the folder.
    fs.mkdirSync(dir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 })
    fs.accessSync(dir, fs.constants.W_OK | fs.constants.X_OK)
  } catch (error) {
    throw refused(
      `the folder ${dir} cannot be written: ${error instanceof Error ? error.message : String(error)}; choose another with --dir`,
    )
  }
  const [foreign] = fs.readdirSync(dir).filter((name) => !OURS.test(name))
  if (foreign !== undefined && readIfExists(path.join(dir, PLAN)) === undefined)
    throw refused(
      `the folder ${dir} holds ${JSON.stringify(foreign)}, which does not belong to a cluster; choose an empty or a new one with --dir`,
    )
  return readClusterFolder(dir)
}

function readClusterFolder(dir: string): ClusterFolder {
  const root = fs.realpathSync(dir)
  const [planFile, keyFile] = [path.join(root, PLAN), path.join(root, KEY)]
  const text = readIfExists(planFile)
  const plan = text === undefined ? undefined : parsePlan(text)
  if (text !== undefined && plan === undefined)
    throw refused(`${planFile} is not the plan of a cluster: restore the file, or remove it together with everything in its folder`)
  const found = readOrDrawKey(keyFile)
  if (found === undefined) throw refused(`${keyFile} has no valid key: 16 to 512 printable characters without spaces`)
  return {
    path: root,
    keyFile,
    key: found.key,
    plan,
    keepPlan(next) {
      if (!found.isKept) writePrivate(keyFile, found.key)
      writePrivate(planFile, JSON.stringify(next))
    },
    async alone(work) {
      const busy = createPidFile(path.join(root, BUSY))
      const other = busy.claim(process.pid)
      if (other !== undefined)
        throw refused(`another command is changing the cluster in ${root} (process ${other}); wait until it has ended`)
      try {
        return await work()
      } finally {
        busy.remove()
      }
    },
    purge(socketFolder) {
      if (socketFolder !== undefined) fs.rmSync(socketFolder, { recursive: true, force: true })
      for (const name of fs.readdirSync(root)) if (OURS.test(name)) fs.rmSync(path.join(root, name), { recursive: true, force: true })
      if (fs.readdirSync(root).length === 0) fs.rmdirSync(root)
    },
  }
}

export const refused = (message: string): CommandFailure => new CommandFailure(EXIT.refused, message)
