import { graphql, type ResultOf } from '@gantt/client'
import type { Picture } from './picture.ts'
import { poolNameOf, poolsOf } from './pools.ts'
import { valueIn } from './readers/source.ts'
import type { Offer } from './report.ts'

/** Queries one page of the live claims on a host. Needs a key with the scope READ. */
export const heldClaims = graphql(`
  query HeldClaims($name: String!, $node: String, $after: String) {
    host(name: $name, node: $node) {
      revision
      claims(first: 100, after: $after, states: [RESERVED, CONFIRMED, MATERIALISED]) {
        pageInfo { hasNextPage endCursor }
        nodes {
          id
          instanceUuid
          resources { resourceClass amount }
          cells { cell cpus pinned siblings memoryMb pageSizeKib }
          gpus { index milli }
          pciDevices { pool count }
        }
      }
    }
  }
`)

/** Subscribes to the changes of a host and of its claims. Needs a key with the scope READ. */
export const hostChanges = graphql(`
  subscription HostOfAgent($after: Revision, $filter: HostFilter) {
    hostChanged(after: $after, filter: $filter) { revision }
  }
`)

export type HeldClaim = NonNullable<ResultOf<typeof heldClaims>['host']>['claims']['nodes'][number]

/** A resource of which the claims on the host reserve more than the machine has. */
export interface OverLimit {
  /** The name of the resource, e.g. `VCPU`, `memory of cell 1`, `pages of 2048 KiB of cell 0`. */
  readonly what: string
  readonly unit: string
  /** The amount that the claims reserve together. */
  readonly held: number
  /** Claims can reserve at most this amount of the resource on the present machine. */
  readonly limit: number
  /** The ids of the claims that reserve some of the resource, newest first. */
  readonly claims: readonly string[]
}

interface Share {
  readonly what: string
  readonly unit: string
  readonly amount: number
  readonly claim: string
}

/**
 * Finds the resources of which the claims on the host reserve more than the present machine has. Nova's resource tracker makes a similar
 * check. Resources whose size could not be read have no limit. The function only reports: operators decide which claims to remove.
 */
export function findOverLimits(claims: readonly HeldClaim[], picture: Picture, offer: Offer): readonly OverLimit[] {
  const limits = limitsOf(picture, offer)
  const held = new Map<string, Share[]>()
  for (const share of claims.flatMap(sharesOf)) held.set(share.what, [...(held.get(share.what) ?? []), share])
  return [...held].flatMap(([what, shares]) => {
    const limit = limits(what)
    const sum = shares.reduce((all, { amount }) => all + amount, 0)
    if (limit === undefined || sum <= limit) return []
    return [{ what, unit: shares[0]?.unit ?? '', held: sum, limit, claims: shares.map(({ claim }) => claim).reverse() }]
  })
}

function sharesOf({ id: claim, resources, cells, gpus, pciDevices }: HeldClaim): readonly Share[] {
  const units: Readonly<Record<string, string>> = { VCPU: 'CPUs', MEMORY_MB: 'MiB', DISK_GB: 'GiB' }
  return [
    ...resources.flatMap(({ resourceClass, amount }) => {
      const unit = units[resourceClass]
      return unit === undefined ? [] : [{ what: resourceClass, unit, amount, claim }]
    }),
    ...cells.flatMap(({ cell, pinned, siblings, memoryMb, pageSizeKib }) => [
      ...(pageSizeKib === null
        ? [{ what: memoryOf(cell), unit: 'MiB', amount: memoryMb, claim }]
        : [{ what: pagesOf(cell, pageSizeKib), unit: 'pages', amount: Math.ceil((memoryMb * 1_024) / pageSizeKib), claim }]),
      ...[...pinned, ...siblings].map((cpu) => ({ what: cpuOf(cell, cpu), unit: 'owners', amount: 1, claim })),
    ]),
    ...gpus.map(({ index, milli }) => ({ what: gpuOf(index), unit: 'thousandths', amount: milli, claim })),
    ...pciDevices.map(({ pool, count }) => ({ what: devicesOf(pool), unit: 'devices', amount: count, claim })),
  ]
}

/**
 * Returns a function that returns the limit of a resource: 0 if the machine does not have the resource, and undefined if the agent could
 * not read how much of the resource the machine has.
 */
function limitsOf(picture: Picture, { reserved, ratios, pci }: Offer): (what: string) => number | undefined {
  const { cpuCount, memoryKib, disk, cells, devices, gpus } = picture
  const limits = new Map<string, number>()
  const put = (what: string, total: number | undefined, ratio: number, kept: number): void => {
    if (total !== undefined) limits.set(what, Math.floor(total * ratio) - kept)
  }
  put('VCPU', valueIn(cpuCount), ratios.cpu, reserved.cpus)
  const memory = valueIn(memoryKib)
  put('MEMORY_MB', memory && Math.floor(memory / 1_024), ratios.ram, reserved.memoryMb)
  const bytes = valueIn(disk)?.totalBytes
  put('DISK_GB', bytes && Math.floor(bytes / 2 ** 30), ratios.disk, reserved.diskGb)
  for (const { id, cpus, memoryKib: kib, pages } of valueIn(cells) ?? []) {
    put(memoryOf(id), Math.floor(kib / 1_024), ratios.ram, 0)
    for (const cpu of cpus) limits.set(cpuOf(id, cpu), 1)
    for (const { sizeKib, total } of pages) limits.set(pagesOf(id, sizeKib), total)
  }
  for (const { index } of valueIn(gpus) ?? []) limits.set(gpuOf(index), 1_000)
  for (const pool of poolsOf(valueIn(devices) ?? [], valueIn(gpus) ?? [], pci)) limits.set(devicesOf(poolNameOf(pool)), pool.total)
  const isKnown = (what: string): boolean => {
    if (what.startsWith('GPU')) return 'value' in gpus
    return what.startsWith('PCI') ? 'value' in devices : what.includes('cell') && 'value' in cells
  }
  return (what) => limits.get(what) ?? (isKnown(what) ? 0 : undefined)
}

/** Returns the amounts of all resources of the machine as text. Pictures with equal texts have equal limits. */
export const sizesOf = ({ cpuCount, memoryKib, disk, cells, devices, gpus }: Picture): string =>
  JSON.stringify([cpuCount, memoryKib, Math.floor((valueIn(disk)?.totalBytes ?? 0) / 2 ** 30), cells, devices, gpus])

const memoryOf = (cell: number): string => `memory of cell ${cell}`
const pagesOf = (cell: number, sizeKib: number): string => `pages of ${sizeKib} KiB of cell ${cell}`
const cpuOf = (cell: number, cpu: number): string => `CPU ${cpu} of cell ${cell}`
const devicesOf = (pool: string): string => `PCI devices ${pool}`
const gpuOf = (index: number): string => `GPU ${index}`
