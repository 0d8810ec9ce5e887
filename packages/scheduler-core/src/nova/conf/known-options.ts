import { type Lifespan, NEWEST, OLDEST } from './releases.ts'
import type { OptionType, OptionValue } from './values.ts'

/** An option of Nova that influences which host is chosen. */
export interface KnownOption {
  /** Identifies the option: `group.name`, or only `name` if the option is in the group DEFAULT. */
  readonly key: string
  readonly type: OptionType
  /** The sections and names under which a file can set the option, the newest first, with the releases that read each of them. */
  readonly places: readonly Place[]
  /** If the option has no effect in this service: the reason. With `ifOn`, it is reported only if the file enables the option. */
  readonly idle?: { readonly why: string; readonly ifOn?: true }
  /**
   * If the option excludes hosts in Nova but not in this service: a description of these hosts. The option excludes no hosts if its value
   * is one of `unless`, or if the flag `onlyIf` is off. If releases read the option for another purpose before it excluded hosts, `before`
   * says for what, and until which release.
   */
  readonly lost?: {
    readonly hosts: string
    readonly unless: readonly OptionValue[]
    readonly onlyIf?: Pick<Place, 'section' | 'name'>
    readonly before?: { readonly until: number; readonly purpose: string }
  }
}

export interface Place extends Lifespan {
  readonly section: string
  readonly name: string
}

/** The release in which the scheduler's options moved from the section DEFAULT to their own sections. */
const MOVED = 15
const LAST_OLD = 23
/** The first release in which Placement checks zones by default. */
export const ZONES_BY_PLACEMENT = 24
const LAST_ZONE_FILTER = 27

const flag: OptionType = { is: 'flag' }
const text: OptionType = { is: 'text' }
const list: OptionType = { is: 'list' }
const whole = (least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY): OptionType => ({ is: 'whole', least, most })
const number = (least = -1e9): OptionType => ({ is: 'number', least, most: 1e9 })

interface Parts {
  /** The release that introduced the option. */
  readonly since?: number
  readonly until?: number
  /** The option's name when it was in the section DEFAULT. Absent if the name is unchanged. */
  readonly was?: string
  readonly idle?: KnownOption['idle']
  readonly lost?: KnownOption['lost']
}

/** Defines an option in one of the scheduler's own sections. Options from before `MOVED` are also read from the section DEFAULT. */
function moved(
  section: string,
  name: string,
  type: OptionType,
  { since = OLDEST, until = NEWEST, was = name, idle, lost }: Parts = {},
): KnownOption {
  const today: Place = { section, name, since: Math.max(since, MOVED), until }
  const old: Place = { section: 'DEFAULT', name: was, since, until: Math.min(until, LAST_OLD) }
  return { key: `${section}.${name}`, type, places: since < MOVED ? [today, old] : [today], ...(idle && { idle }), ...(lost && { lost }) }
}

const placed = (
  section: string,
  name: string,
  type: OptionType,
  { since = OLDEST, until = NEWEST, idle, lost }: Parts = {},
): KnownOption => ({
  key: section === 'DEFAULT' ? name : `${section}.${name}`,
  type,
  places: [{ section, name, since, until }],
  ...(idle && { idle }),
  ...(lost && { lost }),
})

const idle = (why: string) => ({ idle: { why } })
const lostIfOn = (hosts: string) => ({ lost: { hosts, unless: [false] } })
const idleIfOn = (why: string) => ({ idle: { why, ifOn: true as const } })

/** The last release with cells v1, in which a separate scheduler chose the cell. */
const LAST_CELLS = 19
/** The flag that enables cells v1. */
const CELLS = { section: 'cells', name: 'enable' }
/** All names by which Nova's releases refer to Nova's own host managers. */
const HOST_MANAGERS = [
  'host_manager',
  'ironic_host_manager',
  'nova.scheduler.host_manager.HostManager',
  'nova.scheduler.ironic_host_manager.IronicHostManager',
]

const ATTESTATION = 'attestation sources are configured for the service, not in a profile'

export const ENABLED = 'filter_scheduler.enabled_filters'
export const AVAILABLE = 'filter_scheduler.available_filters'
export const WEIGHT_CLASSES = 'filter_scheduler.weight_classes'
export const BARE_METAL = 'filter_scheduler.baremetal_enabled_filters'
export const USE_BARE_METAL = 'filter_scheduler.use_baremetal_filters'
export const DRIVER = 'scheduler.driver'
export const MAX_ATTEMPTS_OPTION = 'scheduler.max_attempts'
export const SUBSET_SIZE = 'filter_scheduler.host_subset_size'
export const ZONES = 'scheduler.query_placement_for_availability_zone'
export const TENANTS = 'scheduler.limit_tenants_to_placement_aggregate'
export const TENANTS_NEED = 'scheduler.placement_aggregate_required_for_tenants'
export const ISOLATION = 'scheduler.enable_isolated_aggregate_filtering'
export const IMAGE_TYPES = 'scheduler.query_placement_for_image_type_support'
export const DEFAULT_ZONE = 'default_availability_zone'
export const SHUFFLE = 'filter_scheduler.shuffle_best_same_weighed_hosts'

const group = 'filter_scheduler'

/** All options of the scheduler and of the API that influence which host is chosen. */
export const knownOptions: readonly KnownOption[] = [
  moved(group, 'available_filters', { is: 'texts' }, { was: 'scheduler_available_filters' }),
  moved(group, 'enabled_filters', list, { was: 'scheduler_default_filters' }),
  moved(group, 'weight_classes', list, { was: 'scheduler_weight_classes' }),
  moved(group, 'baremetal_enabled_filters', list, { was: 'baremetal_scheduler_default_filters', until: 17 }),
  moved(group, 'use_baremetal_filters', flag, { was: 'scheduler_use_baremetal_filters', until: 17 }),
  moved(group, 'host_subset_size', whole(1, 1_000), { was: 'scheduler_host_subset_size' }),
  moved(group, 'shuffle_best_same_weighed_hosts', flag, { since: 17 }),
  moved('scheduler', 'max_attempts', whole(1, 100), { was: 'scheduler_max_attempts' }),
  moved('scheduler', 'driver', text, { was: 'scheduler_driver', until: 22 }),

  moved(group, 'ram_weight_multiplier', number()),
  moved(group, 'io_ops_weight_multiplier', number(), { since: 11 }),
  moved(group, 'disk_weight_multiplier', number(), { since: 13 }),
  moved(group, 'soft_affinity_weight_multiplier', number(0), { since: 13 }),
  moved(group, 'soft_anti_affinity_weight_multiplier', number(0), { since: 13 }),
  moved(group, 'pci_weight_multiplier', number(0), { since: 16 }),
  moved(group, 'cpu_weight_multiplier', number(), { since: 18 }),
  moved(group, 'build_failure_weight_multiplier', number(), { since: 18 }),
  moved(group, 'cross_cell_move_weight_multiplier', number(), { since: 21 }),
  moved(group, 'hypervisor_version_weight_multiplier', number(), { since: 28 }),
  moved(group, 'num_instances_weight_multiplier', number(), { since: 28 }),
  moved(group, 'image_props_weight_multiplier', number(), { since: 31 }),
  moved(group, 'image_props_weight_setting', list, { since: 31 }),
  placed('metrics', 'weight_multiplier', number()),
  placed('metrics', 'weight_setting', list),
  placed('metrics', 'required', flag),
  placed('metrics', 'weight_of_unavailable', number()),

  moved(group, 'max_io_ops_per_host', whole(0)),
  moved(group, 'max_instances_per_host', whole(1)),
  moved(group, 'isolated_images', list),
  moved(group, 'isolated_hosts', list),
  moved(group, 'restrict_isolated_hosts_to_isolated_images', flag),
  moved(group, 'aggregate_image_properties_isolation_namespace', text),
  moved(group, 'aggregate_image_properties_isolation_separator', text),
  moved(group, 'image_properties_default_architecture', { is: 'architecture' }, { since: 18 }),
  placed('compute', 'packing_host_numa_cells_allocation_strategy', flag, { since: 25 }),
  placed('trusted_computing', 'attestation_auth_timeout', whole(0), { until: 16 }),
  placed('DEFAULT', 'service_down_time', whole()),
  placed('DEFAULT', 'report_interval', whole()),
  placed('DEFAULT', 'default_availability_zone', text),
  // The scheduler read these options in releases whose hosts do not report ratios.
  placed('DEFAULT', 'cpu_allocation_ratio', number(0), { until: 11 }),
  placed('DEFAULT', 'ram_allocation_ratio', number(0), { until: 11 }),
  placed('DEFAULT', 'disk_allocation_ratio', number(0), { until: 12 }),

  moved(group, 'track_instance_changes', flag, {
    since: 11,
    was: 'scheduler_tracks_instance_changes',
    ...idle('reports and claims name every instance'),
  }),
  // nova-compute reads this option, although its name begins like those of the scheduler.
  placed('DEFAULT', 'scheduler_instance_sync_interval', whole(), { since: 11, ...idle('reports and claims name every instance') }),
  moved(group, 'pci_in_placement', flag, { since: 27, ...idleIfOn('this service always claims the requested devices') }),
  moved('scheduler', 'host_manager', text, {
    was: 'scheduler_host_manager',
    until: 17,
    ...idle('hosts are known by their reports'),
    lost: { hosts: 'hosts that this custom class leaves out', unless: HOST_MANAGERS },
  }),
  moved('scheduler', 'periodic_task_interval', whole(), { was: 'scheduler_driver_task_period', until: 22, ...idle('nothing is polled') }),
  moved('scheduler', 'discover_hosts_in_cells_interval', whole(), { since: 15, ...idle('a host is known once it reports') }),
  moved('scheduler', 'max_placement_results', whole(), { since: 17, ...idle('every host is examined') }),
  moved('scheduler', 'workers', whole(), { since: 18, ...idle('replicas are started, not configured') }),
  moved('scheduler', 'limit_tenants_to_placement_aggregate', flag, { since: 18 }),
  moved('scheduler', 'placement_aggregate_required_for_tenants', flag, { since: 18 }),
  moved('scheduler', 'query_placement_for_availability_zone', flag, { since: 18, until: LAST_ZONE_FILTER }),
  moved('scheduler', 'query_placement_for_image_type_support', flag, { since: 20 }),
  moved('scheduler', 'enable_isolated_aggregate_filtering', flag, { since: 20 }),
  moved('scheduler', 'image_metadata_prefilter', flag, {
    since: 21,
    ...lostIfOn('hosts without the traits for the buses, models and architecture that the image names'),
  }),
  moved('scheduler', 'query_placement_for_routed_network_aggregates', flag, {
    since: 23,
    ...lostIfOn('hosts outside of the segments of the requested networks'),
  }),
  placed('workarounds', 'disable_fallback_pcpu_query', flag, {
    since: 20,
    ...lostIfOn('hosts that report no PCPU from requests for dedicated CPUs'),
  }),
  // Nova's API applies these options to a request before the scheduler reads the request.
  placed('DEFAULT', 'default_schedule_zone', text, {
    lost: { hosts: 'hosts of other zones from requests that name no zone', unless: [''] },
  }),
  placed('cinder', 'cross_az_attach', flag, {
    lost: {
      hosts: 'hosts outside of the zones of the volumes from requests that name no zone',
      unless: [true],
      before: { until: 20, purpose: 'when a volume is attached' },
    },
  }),
  placed('DEFAULT', 'scheduler_topic', text, { until: 15, ...idle('there is no message bus') }),
  placed('DEFAULT', 'scheduler_manager', text, {
    until: 14,
    ...idle('there is only one manager'),
    lost: { hosts: 'hosts that this custom class leaves out', unless: ['nova.scheduler.manager.SchedulerManager'] },
  }),
  placed('DEFAULT', 'allow_resize_to_same_host', flag, {
    lost: { hosts: 'the present host of an instance from its resize, because the API adds it to ignore_hosts', unless: [true] },
  }),
  placed('DEFAULT', 'enable_new_services', flag, { lost: { hosts: 'new hosts until somebody enables them', unless: [true] } }),
  // Cells v1 used these options to choose a cell, before a host in the cell was chosen.
  ...['filter', 'weight'].map((kind) =>
    placed('cells', `scheduler_${kind}_classes`, list, {
      until: LAST_CELLS,
      lost: { hosts: 'hosts of cells that these classes do not choose', unless: [], onlyIf: CELLS },
    }),
  ),
  ...['ram', 'mute', 'offset'].map((kind) =>
    placed('cells', `${kind}_weight_multiplier`, number(), {
      until: LAST_CELLS,
      lost: { hosts: 'hosts of cells with a lower weight than the chosen cell', unless: [], onlyIf: CELLS },
    }),
  ),
  placed('DEFAULT', 'scheduler_json_config_location', text, { until: 14, ...idle('profiles contain all settings') }),
  ...['server', 'server_ca_file', 'port', 'api_url', 'auth_blob', 'insecure_ssl'].map((name) =>
    placed('trusted_computing', `attestation_${name}`, text, { until: 16, ...idle(ATTESTATION) }),
  ),
]

/** Sections in which every option influences which host is chosen. */
export const placingSections: ReadonlySet<string> = new Set([group, 'scheduler', 'metrics', 'trusted_computing'])

/** Option names that sections of other services use too. */
export const commonNames: ReadonlySet<string> = new Set(['driver', 'workers', 'required'])
