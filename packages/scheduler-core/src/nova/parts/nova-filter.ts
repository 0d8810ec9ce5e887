import { z } from 'zod'
import type { Admits } from '../../contracts/filter.ts'
import type { MetadataReads } from '../../hosts/metadata-reads.ts'
import type { StatsField } from '../../report/stats-fields.ts'
import { checkOptions } from '../../request/parse.ts'
import type { RequestReadsBy } from '../../request/request-reads.ts'
import type { Reason } from '../../text/reason.ts'
import type { NumaLimits } from '../hardware/topology.ts'
import type { HostState } from '../objects/host-state.ts'
import type { NovaRequest } from '../objects/request.ts'
import { NovaError } from '../text/nova-error.ts'

/**
 * Returns undefined if the host passes, otherwise the reason of the refusal. Throws NovaError where Nova would raise an exception. Changes
 * nothing.
 */
export interface HostCheck {
  (host: HostState): Reason | undefined
  /**
   * The limits that the filter gives a host that it passes, for the host's own check. The limits of all filters
   * together belong to the destination; a filter without limits has no such property.
   */
  readonly limits?: (host: HostState) => HostLimits
  /** The single demands of the filter, if it can have several (see PreparedFilter). */
  readonly each?: readonly HostSingle[]
  /** A text about the hosts that pass, if Nova interprets the request differently from its wording (see PreparedFilter). */
  readonly which?: string
}

/** One of several demands of a Nova filter. */
export interface HostSingle {
  /** The hosts that satisfy the demand, as text that follows "hosts". */
  readonly which: string
  check(host: HostState): Reason | undefined
}

/** A check with several demands, one after the other. */
export const checkEach = (each: readonly HostSingle[]): HostCheck =>
  Object.assign(
    (host: HostState) => {
      for (const { check } of each) {
        const reason = check(host)
        if (reason !== undefined) return reason
      }
      return undefined
    },
    { each },
  )

/** Nova's SchedulerLimits. */
export interface HostLimits {
  readonly vcpu?: number
  /** In MiB. */
  readonly memoryMb?: number
  /** In GiB. */
  readonly diskGb?: number
  readonly numaTopology?: NumaLimits
}

/** A check of a filter that also gives limits. */
export const withLimits = (check: (host: HostState) => Reason | undefined, limits: (host: HostState) => HostLimits): HostCheck =>
  Object.assign((host: HostState) => check(host), { limits })

export interface CheckContext {
  /** The time of the decision, milliseconds since 1970. */
  readonly now: number
  /** The source of attestations; without one, the trust of every node is unknown. */
  readonly attestations?: AttestationSource
  /** The feature level of the log by whose rules a decision is made; absent: the newest. */
  readonly featureLevel?: number
  /** The present names of hosts that an option names; absent: names are used unchanged. */
  presentHosts?(names: readonly string[]): readonly string[]
}

/** An attestation service's answers, gathered before the decision and recorded with it. */
export interface AttestationSource {
  /** The attestation of a node, by the node's name. Undefined if the service does not know the node, or its answer could not be read. */
  attestationOf(node: string): Attestation | undefined
}

export interface Attestation {
  /** The level that the service states, such as `trusted` or `untrusted`. */
  readonly level: string
  /** The time at which the service checked the node, milliseconds since 1970. */
  readonly at: number
}

/** One of Nova's filters: a rule about Nova's request and host state. It has the name and the option names of Nova's filter. */
export interface NovaFilter {
  readonly name: string
  /** One sentence for people: what a host must have to pass. */
  readonly description: string
  /** The report fields that it reads, for hosts that were not reported in Nova's form. */
  readonly reads: readonly StatsField[]
  /** The metadata of aggregates that it reads; absent if none. */
  readonly readsMetadata?: MetadataReads | undefined
  /** See Filter. */
  readonly readsRequest?: RequestReadsBy<Readonly<Record<string, unknown>>> | undefined
  /** See Filter. */
  readonly admits?: Admits | undefined
  /** Whether the filter runs for a rebuild, like Nova's RUN_ON_REBUILD. */
  readonly runsOnRebuild: boolean
  /** Whether the filter runs only for the first instance of a request, like Nova's run_filter_once_per_request. */
  readonly oncePerRequest: boolean
  /** By Nova's option names; those of other groups than filter_scheduler carry the group: `compute.cpu_shared_set`. */
  readonly options: z.ZodObject
  /**
   * `undefined`: the filter does not apply to the request. Throws NovaError where Nova would for every host, RangeError for bad options.
   */
  prepare(request: NovaRequest, options: Readonly<Record<string, unknown>>, context: CheckContext): HostCheck | undefined
}

const noOptions = z.strictObject({})

interface Definition<Options extends z.ZodObject> {
  readonly name: string
  readonly description: string
  readonly reads: readonly StatsField[]
  readonly readsMetadata?: MetadataReads
  readonly readsRequest?: RequestReadsBy<Readonly<Record<string, unknown>>>
  readonly admits?: Admits
  readonly runsOnRebuild?: true
  readonly oncePerRequest?: true
  readonly options?: Options
  prepare(request: NovaRequest, options: z.output<Options>, context: CheckContext): HostCheck | undefined
}

/** The scheduler hint by which Nova marks a rebuild: the request is for a running instance, whose host only some filters check. */
export const CHECK_TYPE = '_nova_check_type'

/** Creates a filter from its definition: options are checked, and rebuilds pass unless the filter declares otherwise. */
export function novaFilter<Options extends z.ZodObject = typeof noOptions>(definition: Definition<Options>): NovaFilter {
  const { name, description, reads, readsMetadata, readsRequest, admits, runsOnRebuild = false, oncePerRequest = false } = definition
  const options = (definition.options ?? noOptions) as Options
  return {
    name,
    description,
    reads,
    readsMetadata,
    readsRequest,
    admits,
    runsOnRebuild,
    oncePerRequest,
    options,
    prepare(request, given, context) {
      if (!runsOnRebuild && isRebuild(request)) return undefined
      return definition.prepare(request, checkOptions(options, given), context)
    },
  }
}

/** Whether the request rebuilds an instance in place. Hints that are set to null are an error in Nova. */
export function isRebuild({ schedulerHints }: NovaRequest): boolean {
  if (schedulerHints === null)
    throw new NovaError('AttributeError', { subject: 'scheduler_hints', need: 'a dictionary, or unset', have: 'null' })
  const type = schedulerHints?.[CHECK_TYPE]
  return type?.length === 1 && type[0] === 'rebuild'
}
