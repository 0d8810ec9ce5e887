import type { Affinity } from './affinity.ts'
import { ELSEWHERE, SAME_ZONE } from './facts/distance.ts'
import { type Pool, type Storage, storage } from './facts/storage.ts'

/** Places instances on hosts near the pools of volumes. The hint `near_volume` names volumes, and the instance can have its own volumes. */
export const volumeAffinity: Affinity<Storage, Pool> = {
  namespace: storage,
  hint: 'near_volume',
  field: 'volumes',
  own: ({ volumes }) => volumes,
  unknown: 'volume.unknown',
  far: 'volume.far',
  find: ({ volumes }, uuid) => volumes.get(uuid),
  distance(pool, host, own) {
    const reached = own?.pools.get(pool.uuid)
    if (reached !== undefined) return reached.distance
    return pool.zone !== null && pool.zone === host.zone ? SAME_ZONE : ELSEWHERE
  },
  place: ({ name }) => `pool ${name}`,
}
