import { z } from 'zod'
import { defineNamespace, form } from '../../records/namespace-document.ts'
import { list, name, unique, uuid, whole } from '../../report/versions/v1-0.ts'
import { limits } from '../../request/limits.ts'
import { distance } from './distance.ts'

const pool = z
  .strictObject({
    uuid: uuid.describe('The uuid of the pool. Hosts that report the same uuid share the pool.'),
    name: name.describe('The name that people use for the pool.'),
    distance: distance.describe('The distance of the pool from the host: 0 for a pool on the host itself, 1 for the usual network path.'),
    zone: name.nullable().default(null).describe('Availability zone of the pool; null: the pool is in no zone.'),
    backend: name.nullable().default(null).describe('The name of the storage backend that serves the pool.'),
    totalGib: whole(limits.diskGib).nullable().default(null).describe('The total size of the pool in GiB; null: not reported.'),
    usedGib: whole(limits.diskGib).nullable().default(null).describe('The used space of the pool in GiB; null: not reported.'),
    reservedGib: whole(limits.diskGib).default(0).describe('The reserved space of the pool in GiB, which claims cannot use.'),
    thinRatio: z
      .number()
      .min(1)
      .max(limits.ratio)
      .default(1)
      .describe('The factor by which the space of the pool may be overcommitted (thin provisioning).'),
  })
  .describe('A pool of volumes that the host reaches.')

const volume = z.strictObject({
  uuid: uuid.describe('The uuid of the volume.'),
  pool: uuid.describe('The uuid of its pool, which must be listed in `pools`.'),
})

export const storageV1_0 = z
  .strictObject({
    pools: list(pool).refine(
      unique((one: { readonly uuid: string }) => one.uuid),
      'must name each pool once',
    ),
    volumes: list(volume, limits.documentLength)
      .default([])
      .refine(
        unique((one: { readonly uuid: string }) => one.uuid),
        'must name each volume once',
      ),
  })
  .superRefine(({ pools, volumes }, context) => {
    const known = new Set(pools.map(({ uuid }) => uuid))
    for (const [i, { pool }] of volumes.entries())
      if (!known.has(pool))
        context.addIssue({ code: 'custom', path: ['volumes', i, 'pool'], message: 'must be one of the pools of this document' })
  })

export type Pool = z.output<typeof pool>

/** A storage service's document about a host: the storage pools that the host reaches, and volumes in them. */
export interface Storage {
  readonly pools: ReadonlyMap<string, Pool>
  /** The pool of each volume, by the uuid of the volume. */
  readonly volumes: ReadonlyMap<string, Pool>
}

export const storage = defineNamespace<Storage>(
  {
    name: 'storage',
    description: 'Pools of volumes that a host reaches, and volumes in them, as a storage service reports them.',
    maxAgeSeconds: 3_600,
    things: ({ pools, volumes }) => [...pools.keys(), ...volumes.keys()],
    // sizes of pools are left out, because `isOverruledOnSpace` compares the sizes
    says({ volumes }, thing) {
      const pool = volumes.get(thing)
      return pool && [pool.uuid, pool.zone]
    },
  },
  new Map([
    [
      '1.0',
      form(storageV1_0, (document) => {
        const pools = new Map(document.pools.map((one) => [one.uuid, one]))
        return { pools, volumes: new Map(document.volumes.map(({ uuid, pool }) => [uuid, pools.get(pool) as Pool])) }
      }),
    ],
  ]),
)
