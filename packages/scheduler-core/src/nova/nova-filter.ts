import { z } from 'zod'
import type { Admits } from '../filters/filter.ts'
import type { MetadataReads } from '../fleet/metadata-reads.ts'
import type { StatsField } from '../fleet/stats-fields.ts'
import type { Reason } from '../reason.ts'
import { checkOptions } from '../request/parse.ts'
import type { RequestReads } from '../request/request-reads.ts'
import type { NumaLimits } from './hardware/topology.ts'
import type { HostState } from './host-state.ts'
import { NovaError } from './nova-error.ts'
import type { NovaRequest } from './objects/request.ts'

/** Nova's answer for one host: `undefined` = it passes. Throws NovaError where Nova raises. Changes nothing. */
export interface HostCheck {
  (host: HostState): Reason | undefined
  /**
   * What the filter gives a host that it let pass to judge by itself: up to where it may fill. Those of all filters
   * together are the limits of the destination; a filter that gives none has no such property.
   */
  readonly limits?: (host: HostState) => HostLimits
  /** Each thing that it asks for by itself, where those may be several (see PreparedFilter). */
  readonly each?: readonly HostSingle[]
}

/** One of several things that a filter of Nova's asks for. */
export interface HostSingle {
  /** Which hosts have it, in words that follow "hosts". */
  readonly which: string
  check(host: HostState): Reason | undefined
}

/** A check that asks for one thing after the other. */
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
  /** MiB */
  readonly memoryMb?: number
  /** GiB */
  readonly diskGb?: number
  readonly numaTopology?: NumaLimits
}

/** A check of a filter that also gives limits. */
export const withLimits = (check: (host: HostState) => Reason | undefined, limits: (host: HostState) => HostLimits): HostCheck =>
  Object.assign((host: HostState) => check(host), { limits })

export interface CheckContext {
  /** The clock of the decision, milliseconds since 1970. */
  readonly now: number
  /** Who says how far nodes can be trusted; without one, that is known of none. */
  readonly attestations?: AttestationSource
  /** The feature level of the log by whose rules a decision is made; absent: the newest. */
  readonly featureLevel?: number
  /** What hosts are called by now that an option names; absent: as it names them. */
  presentHosts?(names: readonly string[]): readonly string[]
}

/** An attestation service's answers, gathered before the decision and recorded with it. */
export interface AttestationSource {
  /** By the node's name; undefined: the service does not know it, or its answer could not be read. */
  attestationOf(node: string): Attestation | undefined
}

export interface Attestation {
  /** The service's word, such as `trusted` or `untrusted`. */
  readonly level: string
  /** When the service looked, milliseconds since 1970. */
  readonly at: number
}

/** One of Nova's filters: a rule over Nova's request and host state, with Nova's registered name and its options' names. */
export interface NovaFilter {
  readonly name: string
  /** One sentence for people: what a host must have to pass. */
  readonly description: string
  /** Which fields of a host's report it looks at, where the host did not come as Nova wrote it. */
  readonly reads: readonly StatsField[]
  /** Which metadata of aggregates it looks at; absent: none. */
  readonly readsMetadata?: MetadataReads | undefined
  /** See Filter. */
  readonly readsRequest?: RequestReads | undefined
  /** See Filter. */
  readonly admits?: Admits | undefined
  /** Runs although the request is a rebuild, as Nova's RUN_ON_REBUILD. */
  readonly runsOnRebuild: boolean
  /** Runs for the first instance of a request only, as Nova's run_filter_once_per_request. */
  readonly oncePerRequest: boolean
  /** By Nova's option names; those of other groups than filter_scheduler carry the group: `compute.cpu_shared_set`. */
  readonly options: z.ZodObject
  /** `undefined`: the request asks nothing of this filter. Throws NovaError where Nova would for every host, RangeError for bad options. */
  prepare(request: NovaRequest, options: Readonly<Record<string, unknown>>, context: CheckContext): HostCheck | undefined
}

const noOptions = z.strictObject({})

interface Definition<Options extends z.ZodObject> {
  readonly name: string
  readonly description: string
  readonly reads: readonly StatsField[]
  readonly readsMetadata?: MetadataReads
  readonly readsRequest?: RequestReads
  readonly admits?: Admits
  readonly runsOnRebuild?: true
  readonly oncePerRequest?: true
  readonly options?: Options
  prepare(request: NovaRequest, options: z.output<Options>, context: CheckContext): HostCheck | undefined
}

/** Nova's rebuild short cut: a request with exactly this hint is of a running instance, whose host only some filters still judge. */
const CHECK_TYPE = '_nova_check_type'

/** Makes a filter of its definition: options are checked, and what is a rebuild is let pass unless the filter says otherwise. */
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

/** Whether the request is of an instance that is rebuilt where it is. Hints that are set to null are an error of Nova's. */
export function isRebuild({ schedulerHints }: NovaRequest): boolean {
  if (schedulerHints === null)
    throw new NovaError('AttributeError', { subject: 'scheduler_hints', need: 'a dictionary, or unset', have: 'null' })
  const type = schedulerHints?.[CHECK_TYPE]
  return type?.length === 1 && type[0] === 'rebuild'
}
