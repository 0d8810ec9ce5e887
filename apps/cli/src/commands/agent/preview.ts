import { type Offer, type Picture, remarksOn, toFull, valueIn } from '@gantt/agent'
import { graphql } from '@gantt/client'
import type { ServiceClient } from '../../call/connection.ts'
import { CommandFailure } from '../../call/failure.ts'
import { counted, gibPair, mib, ranges } from '../../output/format.ts'
import type { Result } from '../../output/output.ts'
import { toPairs, toTable, wrap } from '../../output/table.ts'

const REQUIRED = graphql(`query Required($host: ResourceNameInput!) { requiredStats(host: $host) { namespaces { namespace omittable } } }`)

/**
 * Shows the hardware of this machine and the report that the agent would send. If a client is passed, also shows which fields of the report
 * the active profiles need; if the call for this fails, the rest is shown all the same, with the exit code of the failure. Sends no report.
 */
export async function toPreview(picture: Picture, offer: Offer, client: ServiceClient | undefined): Promise<Result> {
  const at = new Date().toISOString()
  const whole = toFull({ picture, at }, offer, new Set())
  const answer = await client?.request(REQUIRED, { host: { host: offer.nodeName } }).catch((failure: unknown) => {
    if (failure instanceof CommandFailure) return failure
    throw failure
  })
  const failure = answer instanceof CommandFailure ? answer : undefined
  const omittable =
    answer instanceof CommandFailure
      ? undefined
      : answer?.requiredStats.namespaces.find(({ namespace }) => namespace === 'compute')?.omittable
  const needed = omittable && toFull({ picture, at }, offer, new Set(omittable))
  const sizes: (readonly [string, string])[] = [
    ['full report', `${bytesOf(whole)} B`],
    ...(needed ? ([['needed fields', `${bytesOf(needed)} B; left out: ${needed.omitted?.join(', ') || 'nothing'}`]] as const) : []),
    ['heartbeat', `${bytesOf({ host: offer.nodeName })} B`],
  ]
  return {
    lines: [
      ...toPairs(summaryOf(picture, offer)),
      ...cellLines(picture),
      ...deviceLines(picture, whole.pciPools ?? []),
      '',
      ...toPairs(sizes),
      ...(failure === undefined ? [] : wrap(`Which fields the profiles need is not known: ${failure.message}`)),
      ...remarksOn(picture).flatMap((remark) => wrap(`Note: ${remark}`)),
      '',
      JSON.stringify(needed ?? whole, null, 2),
    ],
    json: {
      picture,
      whole,
      needed: needed ?? null,
      bytes: { whole: bytesOf(whole), needed: needed ? bytesOf(needed) : null },
      ...(failure && { problem: failure.message }),
    },
    ...(failure && { exitCode: failure.exitCode }),
  }
}

const bytesOf = (document: unknown): number => Buffer.byteLength(JSON.stringify(document))

function summaryOf(picture: Picture, { nodeName }: Offer): readonly (readonly [string, string])[] {
  const model = valueIn(picture.model)
  const memory = valueIn(picture.memoryKib)
  const disk = valueIn(picture.disk)
  const topology = valueIn(picture.topology) ?? []
  const sockets = new Set(topology.map(({ socket }) => socket)).size
  return [
    ['host', nodeName],
    [
      'CPUs',
      `${valueIn(picture.cpuCount) ?? 'not reported'}${topology.length > 0 ? ` in ${counted(sockets, 'socket')}` : ''}, ${picture.arch}`,
    ],
    ['model', model?.model ?? model?.vendor ?? 'not reported'],
    ['memory', memory === undefined ? 'not reported' : mib(memory / 1_024)],
    ['disk', disk ? `${gibPair(disk.freeBytes / 2 ** 30, disk.totalBytes / 2 ** 30)} free` : 'not reported'],
    ['GPUs', gpusOf(picture)],
  ]
}

function gpusOf({ gpus }: Picture): string {
  const found = valueIn(gpus)
  if (found === undefined) return 'not reported'
  return found.length === 0 ? 'none' : found.map(({ index, model }) => `${index}: ${model}`).join(', ')
}

function cellLines({ cells }: Picture): readonly string[] {
  const found = valueIn(cells) ?? []
  if (found.length === 0) return []
  const table = toTable(
    [
      { head: 'cell' },
      { head: 'socket' },
      { head: 'cpus', cut: 'end' },
      { head: 'memory', align: 'right' },
      { head: 'pages', wraps: true, least: 20 },
    ],
    found.map(({ id, socket, cpus, memoryKib, pages }) => [
      String(id),
      String(socket ?? '-'),
      ranges(cpus),
      mib(memoryKib / 1_024),
      pages.map(({ sizeKib, total }) => `${total} x ${sizeKib < 1_024 ? `${sizeKib} KiB` : mib(sizeKib / 1_024)}`).join(', ') || '-',
    ]),
  )
  return ['', ...table]
}

function deviceLines(
  { devices }: Picture,
  pools: readonly { readonly vendorId: string; readonly productId: string; readonly deviceType?: string | null; readonly total: number }[],
): readonly string[] {
  const found = valueIn(devices)
  if (found === undefined) return []
  const given = pools.map(({ vendorId, productId, deviceType, total }) => `${total} x ${vendorId}:${productId} ${deviceType ?? ''}`.trim())
  return ['', ...wrap(`${counted(found.length, 'PCI device')}; for instances: ${given.join(', ') || 'none (see --pci)'}`)]
}
