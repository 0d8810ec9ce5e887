import { counted } from './format.ts'
import { printHost } from './host-name.ts'
import { wrap } from './table.ts'

/** What came of the instances on hosts that a question drains. */
export interface Drain {
  readonly moved: number
  readonly stuck: number
  readonly withoutClaims: number
  readonly instances: readonly {
    readonly claimId: string
    readonly instanceUuid: string | null
    readonly fromHost: string
    readonly fromNode: string
    readonly fromHasOtherNodes: boolean
    readonly message: string | null
  }[]
}

/** How many of the instances that find no place are listed. */
const MOST_STUCK = 10

export const DRAIN = `drain { moved stuck withoutClaims instances(first: ${MOST_STUCK}, stuck: true) { claimId instanceUuid fromHost fromNode fromHasOtherNodes message } }`

/** What people read of it; nothing where no host is drained. */
export function drainTexts(drain: Drain | null): readonly string[] {
  if (drain === null) return []
  const { moved, stuck, withoutClaims, instances } = drain
  return [
    `Of the hosts that are drained ${counted(moved, 'instance')} would move to others${stuck === 0 ? '.' : `, and ${stuck} would find no place:`}`,
    ...instances.map(
      ({ claimId, instanceUuid, fromHost, fromNode, fromHasOtherNodes, message }) =>
        `${instanceUuid ?? `claim ${claimId}`} on ${printHost(fromHost, fromNode, fromHasOtherNodes)}: ${message ?? ''}`,
    ),
    ...(stuck > instances.length ? [`and ${stuck - instances.length} more`] : []),
    ...(withoutClaims === 0
      ? []
      : [`${counted(withoutClaims, 'instance')} that no claim covers would stay: nobody knows what they asked for.`]),
  ]
}

export const drainLines = (drain: Drain | null): readonly string[] => drainTexts(drain).flatMap((text) => wrap(text))
