import { printHost } from '../../options/host-name.ts'
import { counted } from '../../output/format.ts'
import { wrap } from '../../output/table.ts'
import type { Drain } from './documents.ts'

/** Sentences about the instances of drained hosts. Empty if no host is drained. */
export function drainTexts(drain: Drain | null): readonly string[] {
  if (drain === null) return []
  const { moved, stuck, withoutClaims, instances } = drain
  return [
    `${counted(moved, 'instance')} of the drained hosts would move to other hosts${stuck === 0 ? '.' : `, and ${stuck} would find no host:`}`,
    ...instances.map(
      ({ claimId, instanceUuid, fromHost, fromNode, fromHasOtherNodes, message }) =>
        `${instanceUuid ?? `claim ${claimId}`} on ${printHost(fromHost, fromNode, fromHasOtherNodes)}: ${message ?? ''}`,
    ),
    ...(stuck > instances.length ? [`and ${stuck - instances.length} more`] : []),
    ...(withoutClaims === 0 ? [] : [`${counted(withoutClaims, 'instance')} without a claim would stay: their requests are not known.`]),
  ]
}

export const drainLines = (drain: Drain | null): readonly string[] => drainTexts(drain).flatMap((text) => wrap(text))
