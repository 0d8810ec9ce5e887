/** The metadata key that makes an aggregate an availability zone, as in Nova. */
export const ZONE_KEY = 'availability_zone'

/** The metadata key that says in which pool the disks of instances on the hosts of an aggregate lie: its uuid. */
export const DISK_POOL_KEY = 'gantt:disk_pool'
