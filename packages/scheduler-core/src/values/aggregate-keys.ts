/** The metadata key that makes an aggregate an availability zone, as in Nova. */
export const ZONE_KEY = 'availability_zone'

/** The prefix of the keys under which aggregates list their projects, as in Nova. */
export const TENANT_KEY = 'filter_tenant_id'

/** The metadata key with the uuid of a disk pool. The disks of instances on the aggregate's hosts are in that pool. */
export const DISK_POOL_KEY = 'gantt:disk_pool'
