import { z } from 'zod'
import type { HostRecord } from '../../hosts/hosts.ts'
import { defineNamespace, form } from '../../records/namespace-document.ts'
import { list, unique } from '../../report/versions/v1-0.ts'
import { COLLECTOR_STATES } from '../../values/levels.ts'

/** At most this many collectors are in one document. */
const MAX_COLLECTORS = 32

/**
 * The states of a collector. WAITING: it has not been run yet. SENDING: its last document was accepted. SLOWED and PAUSED: no profile in use
 * reads its namespace, so it is run at a longer interval, or not at all. FAILING: its last run failed, or its document was refused.
 */
export const collectorStates = ['WAITING', 'SENDING', 'SLOWED', 'PAUSED', 'FAILING'] as const

/** How a run of a collector failed. */
export const collectorErrors = [
  ...(['START', 'TIME_LIMIT', 'MEMORY_LIMIT', 'OUTPUT_LIMIT', 'CRASHED', 'MALFORMED', 'FOREIGN', 'REFUSED'] as const),
] as const

const time = z.iso.datetime({ offset: true }).max(40)

const collector = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z][a-z0-9_-]{0,31}$/)
    .describe('The name of the collector in the settings of the agent.'),
  namespace: z
    .string()
    .regex(/^[a-z][a-z0-9._-]{0,62}$/)
    .describe('The namespace whose documents the collector produces.'),
  state: z.enum(collectorStates),
  since: time.describe('When this state began, by the clock of the host.'),
  intervalSeconds: z
    .int()
    .min(1)
    .max(86_400)
    .nullable()
    .default(null)
    .describe('The time between two runs in seconds; null: the collector is not run.'),
  error: z
    .strictObject({ code: z.enum(collectorErrors), text: z.string().max(500), at: time })
    .nullable()
    .default(null)
    .describe('The last error, and when it first occurred; null if a later run succeeded.'),
  lastGoodAt: time.nullable().default(null).describe('When the last good document was collected. Only set while the collector sends none.'),
})

export const collectorsV1_0 = z.strictObject({
  collectors: list(collector, MAX_COLLECTORS)
    .refine(
      unique((one: { readonly name: string }) => one.name),
      'must name each collector once',
    )
    .refine(
      unique((one: { readonly namespace: string }) => one.namespace),
      'must name each namespace once',
    ),
})

export type CollectorStatus = z.output<typeof collector>

/** The document of an agent about the collectors of its host. */
export interface Collectors {
  /** The collectors by the namespace whose documents they produce. */
  readonly byNamespace: ReadonlyMap<string, CollectorStatus>
}

export const collectors = defineNamespace<Collectors>(
  {
    name: 'collectors',
    description: "The states of a host's collectors, as its agent reports them.",
    maxAgeSeconds: 1_200,
    things: () => [],
    says: () => undefined,
  },
  new Map([['1.0', form(collectorsV1_0, ({ collectors: all }) => ({ byNamespace: new Map(all.map((one) => [one.namespace, one])) }))]]),
)

/** The time up to which ages are computed, in store time, and the feature level of the fleet. */
interface Moment {
  readonly now: number
  readonly featureLevel: number
}

/** The collectors of a host, and whether the report is recent enough to say something about the present. */
export interface CollectorsOfHost {
  readonly collectors: readonly CollectorStatus[]
  /** When the states were reported, in store time. */
  readonly reportedAt: number
  /** False if the agent has not repeated the states for so long that they may no longer be true. */
  readonly isRecent: boolean
}

/** The states of a host's collectors. Undefined if its agent reported none, or if the report cannot be read. */
export function collectorsOf({ now }: Pick<Moment, 'now'>, { namespaces }: Pick<HostRecord, 'namespaces'>): CollectorsOfHost | undefined {
  const held = namespaces.get(collectors.name)
  if (held?.reportedAt === undefined) return undefined
  const read = collectors.read(held)
  if (!read.ok) return undefined
  const isRecent = now - held.reportedAt <= collectors.maxAgeSeconds * 1_000
  return { collectors: [...read.value.byNamespace.values()], reportedAt: held.reportedAt, isRecent }
}

/**
 * The collector of a host that produces a namespace and does not send its documents, or seldom sends them: it is paused or slowed because no
 * profile in use reads the namespace, it fails, or it was not run yet. Undefined if the namespace is missing for another reason.
 */
export function unsentBy(fleet: Moment, record: HostRecord, namespace: string): CollectorStatus | undefined {
  if (fleet.featureLevel < COLLECTOR_STATES) return undefined
  const reported = collectorsOf(fleet, record)
  const found = reported?.isRecent ? reported.collectors.find((one) => one.namespace === namespace) : undefined
  return found?.state === 'SENDING' ? undefined : found
}
