/** As in Nova, an aggregate with this metadata key is an availability zone. */
export const ZONE_KEY = 'availability_zone'

/** As in Nova, metadata keys that begin with this prefix list the projects for which an aggregate is reserved. */
export const TENANT_KEY = 'filter_tenant_id'

/** The value of this metadata key is the uuid of a disk pool. The disks of instances on the aggregate's hosts are in this pool. */
export const DISK_POOL_KEY = 'gantt:disk_pool'
