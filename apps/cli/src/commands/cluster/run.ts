import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { defaultStateDir, openStateDir } from '@gantt/server'
import { EXIT } from '../../call/failure.ts'
import { GANTT } from '../../output/called.ts'
import { note, print, type Result, run } from '../../output/output.ts'
import { wrap } from '../../output/table.ts'
import { asCommandFailure, StoppedError } from './failure.ts'
import type { ClusterFlags, UpFlags } from './flags.ts'
import { type ClusterFolder, findClusterFolder, openClusterFolder, refused } from './folder.ts'
import { type Parts, partsOf } from './parts.ts'
import { type PartStatus, statusOf } from './status.ts'
import { startCluster, takeDown } from './up.ts'
import { statusLines, upLines } from './words.ts'

const UP = `${GANTT} cluster up`
const POLL_INTERVAL_MS = 1_000

/** The folder of the cluster; below the service's own folder by default. */
const dirOf = ({ dir }: ClusterFlags): string =>
  dir === undefined ? path.join(openStateDir(defaultStateDir()).root, 'cluster') : path.resolve(dir)

const dirFlagOf = ({ dir }: ClusterFlags): string =>
  dir === undefined ? '' : ` --dir ${/^[\w./~-]+$/.test(dir) ? dir : JSON.stringify(dir)}`

function find(flags: ClusterFlags): { readonly folder: ClusterFolder; readonly parts: Parts } {
  const folder = findClusterFolder(dirOf(flags), `${UP}${dirFlagOf(flags)}`)
  if (folder.plan === undefined) throw new Error('findClusterFolder returned a folder without a plan')
  return { folder, parts: partsOf(folder, folder.plan) }
}

export async function up(flags: UpFlags): Promise<void> {
  const stop = listenForStop()
  try {
    await run(flags, async () => {
      const folder = openClusterFolder(dirOf(flags))
      const parts = await folder.alone(() => asCommandFailure(startCluster(folder, flags, stop.signal, note)))
      const statuses = await statusOf(folder, parts)
      const result = { lines: upLines(folder, parts, statuses, dirFlagOf(flags)), json: toJson(folder, parts, statuses) }
      if (flags.foreground !== true) return result
      print(result, flags)
      await untilStopped(parts, stop.signal)
      await folder.alone(() => asCommandFailure(takeDown(parts.all)))
      return { lines: ['', 'The whole cluster is stopped.'], json: { dir: folder.path, ended: parts.all.map(({ name }) => name) } }
    })
  } finally {
    stop.forget()
  }
}

export async function status(flags: ClusterFlags): Promise<Result> {
  const { folder, parts } = find(flags)
  const statuses = await statusOf(folder, parts)
  const isHealthy = statuses.every((each) => each.isHealthy)
  return {
    lines: [...statusLines(folder, statuses), ...(isHealthy ? [] : ['', `To start the missing processes: ${UP}${dirFlagOf(flags)}`])],
    json: toJson(folder, parts, statuses),
    exitCode: isHealthy ? EXIT.done : EXIT.refused,
  }
}

export async function kill(name: string, flags: ClusterFlags): Promise<Result> {
  const { folder, parts } = find(flags)
  const wanted = name === 'leader' ? await leaderOf(folder, parts) : name
  const part = parts.all.find((each) => each.name === wanted)
  if (part === undefined) throw refused(`this cluster has no process ${JSON.stringify(name)}; it has ${namesOf(parts)}`)
  const pid = part.pid()
  if (pid === undefined) throw refused(`${wanted} does not run; "${UP}${dirFlagOf(flags)}" starts it`)
  await asCommandFailure(part.kill())
  return { lines: wrap(`${wanted} (process ${pid}) is killed; "${UP}${dirFlagOf(flags)}" brings it back.`), json: { name: wanted, pid } }
}

/** The nats-server that is the leader of the log's stream now. */
async function leaderOf(folder: ClusterFolder, parts: Parts): Promise<string> {
  if (parts.nats.length === 0) throw refused('this cluster has no leader: PostgreSQL keeps its log')
  const leader = (await statusOf(folder, parts)).find(({ leads }) => leads)
  if (leader === undefined) throw refused('no nats-server leads the log now; try again')
  return leader.name
}

export async function env(name: string | undefined, flags: ClusterFlags): Promise<Result> {
  const { folder, parts } = find(flags)
  const replica = parts.replicas.find((each) => (name === undefined ? each.pid() !== undefined : each.name === name))
  if (replica === undefined)
    throw refused(
      name === undefined
        ? 'no replica of this cluster runs'
        : `this cluster has no replica ${JSON.stringify(name)}; it has ${namesOf(parts)}`,
    )
  const values = { GANTT_URL: `${replica.where}/graphql`, GANTT_KEY: folder.key }
  return { lines: Object.entries(values).map(([variable, value]) => `export ${variable}=${value}`), json: values }
}

export async function down(flags: ClusterFlags & { readonly purge?: true }): Promise<Result> {
  const { folder, parts } = find(flags)
  return folder.alone(async () => {
    const running = parts.all.filter((part) => part.pid() !== undefined)
    if (running.length > 0) note(`Ending ${running.map(({ name }) => name).join(', ')}.`)
    await asCommandFailure(takeDown(running))
    if (flags.purge) folder.purge(parts.postgres.socketFolder())
    const what = running.length === 0 ? 'No process was running' : `${running.length} processes were stopped`
    const kept = flags.purge
      ? `the data in ${folder.path} was deleted`
      : `the data is in ${folder.path}, and "${UP}${dirFlagOf(flags)}" continues with it`
    return {
      lines: wrap(`${what}; ${kept}.`),
      json: { dir: folder.path, ended: running.map(({ name }) => name), purged: flags.purge === true },
    }
  })
}

const namesOf = ({ all }: Parts): string => all.map(({ name }) => name).join(', ')

const toJson = ({ path: dir, key, keyFile }: ClusterFolder, { engine }: Parts, processes: readonly PartStatus[]) => ({
  dir,
  engine,
  key,
  keyFile,
  processes,
})

/**
 * Returns an AbortSignal that the first SIGINT, SIGTERM or SIGHUP aborts. Further signals are ignored, because npm may forward a signal that
 * this process already received.
 */
function listenForStop(): { readonly signal: AbortSignal; forget(): void } {
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const controller = new AbortController()
  const stop = (name: NodeJS.Signals): void =>
    controller.abort(new StoppedError(`stopped by ${name}; the processes that were started are stopped too`))
  for (const name of names) process.on(name, stop)
  return {
    signal: controller.signal,
    forget: () => {
      for (const name of names) process.off(name, stop)
    },
  }
}

/** Waits for a signal, or until another command has stopped the whole cluster. */
async function untilStopped({ all }: Parts, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && all.some((part) => part.pid() !== undefined))
    await sleep(POLL_INTERVAL_MS, undefined, { signal }).catch(() => undefined)
}
