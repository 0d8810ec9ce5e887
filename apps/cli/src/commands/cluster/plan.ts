import type { NatsPorts } from '@gantt/server'

export const ENGINES = ['nats', 'postgres'] as const

/** The engine that stores the log. */
export type EngineName = (typeof ENGINES)[number]

export const MAX_REPLICAS = 9
export const NATS_SERVERS = 3

/**
 * The processes of a cluster and their ports. The plan is stored in the cluster's folder, so that the next start uses the same processes
 * and ports.
 */
export interface Plan {
  readonly engine: EngineName
  /** A random text: the password of the NATS cluster, and part of its name. It prevents nats-servers of other clusters from joining. */
  readonly token: string
  /** The port of the first replica if a port was chosen; the other replicas have the ports after it. Null if free ports are used. */
  readonly port: number | null
  /** The port of each replica. */
  readonly replicas: readonly number[]
  /** The ports of each nats-server; empty if PostgreSQL stores the log. */
  readonly nats: readonly NatsPorts[]
}

/** Parses the JSON of a plan. Undefined if the JSON is not a plan. */
export function parsePlan(text: string): Plan | undefined {
  const read = (): unknown => {
    try {
      return JSON.parse(text)
    } catch {
      return undefined
    }
  }
  const { engine, token, port, replicas, nats } = (read() ?? {}) as Partial<Record<keyof Plan, unknown>>
  const isRight =
    ENGINES.some((known) => known === engine) &&
    typeof token === 'string' &&
    /^[a-z0-9]{16,64}$/.test(token) &&
    (port === null || isPort(port)) &&
    Array.isArray(replicas) &&
    replicas.length > 0 &&
    replicas.every(isPort) &&
    Array.isArray(nats) &&
    nats.every((each) => ['client', 'route', 'monitor'].every((name) => isPort(each?.[name])))
  return isRight ? ({ engine, token, port, replicas, nats } as Plan) : undefined
}

const isPort = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 65_535
