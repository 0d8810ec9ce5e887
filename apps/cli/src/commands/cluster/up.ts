import { randomBytes } from 'node:crypto'
import { drawNatsPorts, findNatsServer, freePorts, INSTALL_NATS_SERVER, isFreePort, type NatsPorts } from '@gantt/server'
import { type ClusterFolder, refused } from './folder.ts'
import type { Part } from './part.ts'
import { type Parts, partsOf } from './parts.ts'
import { type EngineName, NATS_SERVERS, type Plan } from './plan.ts'

/** The settings of a cluster. An absent setting is not changed, or gets the default at the first start. */
export interface Wanted {
  readonly engine?: EngineName
  readonly replicas?: number
  /** The port of the first replica. The other replicas have the ports after it. */
  readonly port?: number
}

const DEFAULT = { engine: 'nats', replicas: 3 } as const

/**
 * Starts the processes of a cluster that do not run, and waits until all processes answer. If this fails or `signal` is aborted, ends all
 * processes that it started. Throws CommandFailure with the remedy for errors that people can correct.
 */
export async function startCluster(
  folder: ClusterFolder,
  wanted: Wanted,
  signal: AbortSignal,
  say: (line: string) => void,
): Promise<Parts> {
  const plan = await planFor(folder, wanted)
  const parts = partsOf(folder, plan)
  const missing = parts.all.filter((part) => part.pid() === undefined)
  if (missing.length === 0) throw refused(`all processes of the cluster in ${folder.path} already run`)
  await assertPortsAreFree(missing)
  if (missing.some((part) => parts.nats.some((server) => server === part)) && findNatsServer() === undefined)
    throw refused(`${INSTALL_NATS_SERVER}, or name its program in NATS_SERVER_PATH; "--engine postgres" needs none`)
  folder.keepPlan(plan)
  const started: Part[] = []
  const start = async (some: readonly Part[]): Promise<boolean> => {
    const dead = some.filter((part) => missing.includes(part))
    for (const part of dead) {
      signal.throwIfAborted()
      started.push(part)
      await part.start()
    }
    return dead.length > 0
  }
  try {
    say(`Starting ${missing.map(({ name }) => name).join(', ')}.`)
    const hasNewNats = await start(parts.nats)
    // The database server already runs. In this case `start` only determines the URL that replicas need.
    if (!missing.includes(parts.postgres)) await parts.postgres.start()
    await start([parts.postgres])
    if (hasNewNats) await parts.natsReady(signal)
    await start(parts.replicas)
    await parts.replicasReady(signal)
    return parts
  } catch (error) {
    await takeDown(started)
    throw error
  }
}

/** Ends these processes: first the replicas, then the database and the nats-servers that the replicas use. */
export async function takeDown(parts: readonly Part[]): Promise<void> {
  const replicas = parts.filter(({ where }) => where.startsWith('http:'))
  await Promise.all(replicas.map((part) => part.stop()))
  await Promise.all(parts.filter((part) => !replicas.includes(part)).map((part) => part.stop()))
}

async function planFor(folder: ClusterFolder, wanted: Wanted): Promise<Plan> {
  const { path, plan } = folder
  const engine = wanted.engine ?? plan?.engine ?? DEFAULT.engine
  if (plan !== undefined && plan.engine !== engine)
    throw refused(
      `the cluster in ${path} keeps its log in ${NAMES[plan.engine]}, not in ${NAMES[engine]}; choose another folder with --dir`,
    )
  const isRunning = plan !== undefined && partsOf(folder, plan).all.some((part) => part.pid() !== undefined)
  const count = wanted.replicas ?? plan?.replicas.length ?? DEFAULT.replicas
  const port = wanted.port ?? plan?.port ?? null
  if (isRunning && (count < plan.replicas.length || port !== plan.port))
    throw refused(`the cluster in ${path} runs: take it down before it gets fewer replicas or another port`)
  if (port !== null && port + count - 1 > MAX_PORT)
    throw refused(`${count} replicas from port ${port} on would need ports beyond ${MAX_PORT}; choose a lower one with --port`)

  // A running cluster keeps its ports. A stopped cluster gets new ports if other programs use its ports now.
  const isKept = async (each: number): Promise<boolean> => isRunning || isFreePort(each)
  const replicas: number[] = []
  const [known, natsKnown] = [plan?.replicas ?? [], plan?.nats ?? []]
  const inUse = [...known, ...natsKnown.flatMap((each) => Object.values(each))]
  for (let i = 0; i < count; i++) {
    const kept = plan?.port === port ? known[i] : undefined
    if (port !== null) replicas.push(port + i)
    else if (kept !== undefined && (await isKept(kept))) replicas.push(kept)
    else replicas.push(...(await freePorts(1, [...replicas, ...inUse])))
  }
  return { engine, port, replicas, nats: engine === 'nats' ? await natsPorts() : [], token: plan?.token ?? randomBytes(16).toString('hex') }

  async function natsPorts(): Promise<readonly NatsPorts[]> {
    const areKept = await Promise.all(natsKnown.flatMap((each) => Object.values(each)).map(isKept))
    const collide = natsKnown.some((each) => Object.values(each).some((one) => replicas.includes(one)))
    return natsKnown.length > 0 && !collide && areKept.every(Boolean) ? natsKnown : drawNatsPorts(NATS_SERVERS, replicas)
  }
}

async function assertPortsAreFree(parts: readonly Part[]): Promise<void> {
  for (const { name, ports } of parts)
    for (const port of ports)
      if (!(await isFreePort(port)))
        throw refused(
          `port ${port}, of ${name}, is taken, or may not be used by this account; end what listens there, or choose another with --port`,
        )
}

const MAX_PORT = 65_535
const NAMES: Readonly<Record<EngineName, string>> = { nats: 'NATS', postgres: 'PostgreSQL' }
