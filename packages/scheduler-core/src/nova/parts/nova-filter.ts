import { z } from 'zod'
import type { Admits, Filter } from '../../contracts/filter.ts'
import type { MetadataReads } from '../../hosts/metadata-reads.ts'
import type { Read } from '../../report/stats-fields.ts'
import { checkOptions } from '../../request/parse.ts'
import type { RequestReadsBy } from '../../request/request-reads.ts'
import type { Reason } from '../../text/reason.ts'
import type { NumaLimits } from '../hardware/topology.ts'
import type { HostState } from '../objects/host-state.ts'
import type { NovaRequest } from '../objects/request.ts'
import { NovaError } from '../text/nova-error.ts'

/**
 * A filter that is prepared for one request. Called with a host, returns undefined if the host passes, and otherwise the reason of the
 * refusal. Throws NovaError where Nova would raise an exception.
 */
export interface HostCheck {
  (host: HostState): Reason | undefined
  /** The limits that the filter sets for a host that passes. They are part of the answer, so that the host can check them. */
  readonly limits?: (host: HostState) => HostLimits
  /** The separate conditions of the filter, if it can have several (see PreparedFilter). */
  readonly each?: readonly HostSingle[]
  /** Present if a host that meets each single condition can fail the combination (see PreparedFilter). */
  readonly areJoint?: true
  /** Describes the hosts that pass, if Nova interprets the request differently from its wording (see PreparedFilter). */
  readonly which?: string
}

/** One of several conditions of a filter. */
export interface HostSingle {
  /** Describes the hosts that satisfy the condition, as a phrase that follows "hosts". */
  readonly which: string
  check(host: HostState): Reason | undefined
}

/** Combines several conditions to one check. The reason of a refusal is that of the first condition that the host does not satisfy. */
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

/** The limits up to which a chosen host can be filled (Nova's SchedulerLimits). */
export interface HostLimits {
  readonly vcpu?: number
  /** In MiB. */
  readonly memoryMb?: number
  /** In GiB. */
  readonly diskGb?: number
  readonly numaTopology?: NumaLimits
}

/** Combines a check with the function that sets limits for a host that passes. */
export const withLimits = (check: (host: HostState) => Reason | undefined, limits: (host: HostState) => HostLimits): HostCheck =>
  Object.assign((host: HostState) => check(host), { limits })

export interface CheckContext {
  /** The time of the decision, in milliseconds since 1970. */
  readonly now: number
  /** The attestations of nodes. If absent, the trust level of every node is unknown. */
  readonly attestations?: AttestationSource
  /** The feature level whose rules apply. If absent, the newest rules apply. */
  readonly featureLevel?: number
  /** Converts host names in an option to the current names of renamed hosts. If absent, names are used unchanged. */
  presentHosts?(names: readonly string[]): readonly string[]
}

/** The attestations that an attestation service reported before the decision. */
export interface AttestationSource {
  /** The attestation of a node, by the node's name. Undefined if none was reported, or if it could not be read. */
  attestationOf(node: string): Attestation | undefined
  /** Says that a collector of the node does not send its attestation. Undefined if the attestation is missing for another reason. */
  unsentOf?(node: string): Reason | undefined
}

export interface Attestation {
  /** The trust level of the node, such as `trusted` or `untrusted`. */
  readonly level: string
  /** The time at which the attestation service checked the node, in milliseconds since 1970. */
  readonly at: number
}

/** One of Nova's filters. It reads a NovaRequest and a HostState, and has the name and the options of Nova's filter. */
export interface NovaFilter {
  readonly name: string
  /** A sentence that says what a host must have to pass. Users see it. */
  readonly description: string
  /** The fields that the filter reads from reports in this service's form. */
  readonly reads: readonly Read[]
  /** The metadata keys of aggregates that the filter reads. Absent if there are none. */
  readonly readsMetadata?: MetadataReads | undefined
  /** The parts of a request that the filter reads. See `Filter.readsRequest`. */
  readonly readsRequest?: RequestReadsBy<Readonly<Record<string, unknown>>> | undefined
  /** See `Filter.asksAges`. */
  readonly asksAges?: Filter['asksAges']
  /** See `Filter.canPassAgain`. */
  readonly canPassAgain?: Filter['canPassAgain']
  /** See `Filter.admits`. */
  readonly admits?: Admits | undefined
  /**
   * Present if the verdict for a host depends only on these fields of the request, the options, the feature level and the host's own state,
   * and not on the time. The service then caches the verdicts (`Filter.cacheKey`).
   */
  readonly cachedBy?: readonly (keyof NovaRequest)[] | undefined
  /**
   * Present if the verdict for some hosts depends on the time, in spite of `cachedBy`. Returns true for such a host. Verdicts are then cached
   * only while there is no such host.
   */
  readonly readsTimeAt?: ((host: HostState) => boolean) | undefined
  /** True if the filter also runs for a rebuild (Nova's RUN_ON_REBUILD). */
  readonly runsOnRebuild: boolean
  /** True if the filter runs only for the first instance of a request (Nova's run_filter_once_per_request). */
  readonly oncePerRequest: boolean
  /**
   * The options, with Nova's names. A name starts with its group, as in `metrics.weight_setting`, unless the group is filter_scheduler or
   * DEFAULT.
   */
  readonly options: z.ZodObject
  /**
   * Prepares the filter for a request. Undefined if the filter does not apply to the request. Throws NovaError if Nova would raise an
   * exception on every host, and RangeError for invalid options.
   */
  prepare(request: NovaRequest, options: Readonly<Record<string, unknown>>, context: CheckContext): HostCheck | undefined
}

const noOptions = z.strictObject({})

interface Definition<Options extends z.ZodObject> {
  readonly name: string
  readonly description: string
  readonly reads: readonly Read[]
  readonly readsMetadata?: MetadataReads
  readonly readsRequest?: RequestReadsBy<Readonly<Record<string, unknown>>>
  readonly asksAges?: Filter['asksAges']
  readonly canPassAgain?: Filter['canPassAgain']
  readonly admits?: Admits
  readonly cachedBy?: readonly (keyof NovaRequest)[]
  readonly readsTimeAt?: (host: HostState) => boolean
  readonly runsOnRebuild?: true
  readonly oncePerRequest?: true
  readonly options?: Options
  prepare(request: NovaRequest, options: z.output<Options>, context: CheckContext): HostCheck | undefined
}

/** Nova marks a rebuild by this scheduler hint. A rebuild stays on its host, and only some filters run. */
export const CHECK_TYPE = '_nova_check_type'

/** Creates a filter from its definition. Its options are checked, and it does not run for rebuilds unless `runsOnRebuild` is set. */
export function novaFilter<Options extends z.ZodObject = typeof noOptions>(definition: Definition<Options>): NovaFilter {
  const {
    name,
    description,
    reads,
    readsMetadata,
    readsRequest,
    asksAges,
    canPassAgain,
    admits,
    cachedBy,
    readsTimeAt,
    runsOnRebuild = false,
    oncePerRequest = false,
  } = definition
  const options = (definition.options ?? noOptions) as Options
  return {
    name,
    description,
    reads,
    readsMetadata,
    readsRequest,
    asksAges,
    canPassAgain,
    admits,
    cachedBy,
    readsTimeAt,
    runsOnRebuild,
    oncePerRequest,
    options,
    prepare(request, given, context) {
      if (!runsOnRebuild && isRebuild(request)) return undefined
      return definition.prepare(request, checkOptions(options, given), context)
    },
  }
}

/** Returns true if the request rebuilds an instance on its host. As in Nova, throws an error if the scheduler hints are null. */
export function isRebuild({ schedulerHints }: NovaRequest): boolean {
  if (schedulerHints === null)
    throw new NovaError('AttributeError', { subject: 'scheduler_hints', need: 'a dictionary, or unset', have: 'null' })
  const type = schedulerHints?.[CHECK_TYPE]
  return type?.length === 1 && type[0] === 'rebuild'
}
