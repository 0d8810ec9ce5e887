/** The metadata key that makes an aggregate an availability zone, as in Nova. */
export const ZONE_KEY = 'availability_zone'

/** Aggregates name their projects under keys with this prefix, as in Nova. */
export const TENANT_KEY = 'filter_tenant_id'

/** The metadata key that names the pool, by its uuid, in which the disks of instances on the aggregate's hosts lie. */
export const DISK_POOL_KEY = 'gantt:disk_pool'
