import { unpack } from './packed.ts'
import { graphql } from './service/graphql.ts'

/** The replay of a decision in one query: sentence, funnel, matrix, near misses, weights. */
export const EXPLANATION = graphql(`
  query Explanation($id: ID!, $instance: Int, $profile: String, $revision: Revision) {
    explainPlacement(input: { subject: { decisionId: $id }, instanceIndex: $instance, profile: $profile, at: $revision }) {
      fidelity headline instanceIndex hostCount fleetRevision
      profile { profileName number compat tieOrder weighers { name multiplier options } }
      shadowSteps { name isAsked wouldReject ofThosePassing reasons { code hosts text } }
      steps { index name entered passed rejected soleRejections skippedBecause isNet reasons { code hosts text } }
      selection { subsetSize pickedRank tied seed text }
      nearMisses(first: 10) { hostName node host { hasOtherNodes } distance checks { filter status text facts { subject required actual shortfall unit } } }
      weighing(top: 50) {
        candidateCount truncatedAt margin note
        weighers {
          name unit multiplier multiplierVaries min max spread
          decisive idle winnerWithout flipsBelow winnerBelow flipsAbove winnerAbove
        }
        hosts { hostName node host { hasOtherNodes } outcome rank totalWeight weights { weigher unit raw missing normalized multiplier multiplierSource weighted } }
      }
      matrix {
        hostCount hostNames filters firstFailing reason reasonCodes reasonUnits missing bits rank distance
        otherNodes { ordinal node }
      }
    }
  }
`)

/** The verdict matrix as the service sends it. */
export interface PackedMatrix {
  readonly hostCount: number
  readonly hostNames: readonly string[]
  readonly otherNodes: readonly { readonly ordinal: number; readonly node: string }[]
  readonly filters: readonly string[]
  readonly firstFailing: string
  readonly reason: string
  readonly reasonCodes: readonly string[]
  readonly reasonUnits: readonly (string | null)[]
  readonly missing: string
  readonly bits: string
  readonly rank: string
  readonly distance: string
}

/** The verdicts of all filters on all hosts, by the host's index and the filter's index in the order of evaluation. */
export interface Matrix {
  readonly hostCount: number
  readonly filters: readonly string[]
  readonly codes: readonly string[]
  /** For each reason code, the unit of its amounts in `missing`. Null if the amounts of different hosts cannot be added up. */
  readonly units: readonly (string | null)[]
  /** For each host, the missing amount according to the first filter that refuses the host. 0 if the reason is not about an amount. */
  readonly missing: ArrayLike<number>
  /** For each host, the index of the first filter that refuses it. 255 if the host passes all filters. */
  readonly firstFailing: ArrayLike<number>
  /** For each host, the index of the reason code. 255 if the host passes all filters. */
  readonly reason: ArrayLike<number>
  /** For each host, its rank among the hosts that pass, 1 = best. 0 if the host does not pass all filters. */
  readonly rank: ArrayLike<number>
  /** For each refused host, its distance, plus a small addition for each further refusing filter. 0 if the host passes. */
  readonly distance: ArrayLike<number>
  /** `host`, or `host/node` if the node has another name. */
  nameOf(host: number): string
  refuses(host: number, filter: number): boolean
}

/** The value of `firstFailing` and `reason` for a host that passes all filters. */
export const PASSES_ALL = 255

export function readMatrix(packed: PackedMatrix): Matrix {
  const { hostCount, hostNames, otherNodes, filters } = packed
  const bits = unpack(packed.bits, 'U8')
  const bytesPerHost = Math.ceil(filters.length / 8)
  const nodes = new Map(otherNodes.map(({ ordinal, node }) => [ordinal, node]))
  return {
    hostCount,
    filters,
    codes: packed.reasonCodes,
    units: packed.reasonUnits,
    missing: unpack(packed.missing, 'F64'),
    firstFailing: unpack(packed.firstFailing, 'U8'),
    reason: unpack(packed.reason, 'U8'),
    rank: unpack(packed.rank, 'U32'),
    distance: unpack(packed.distance, 'F64'),
    nameOf(host) {
      const name = hostNames[host] ?? ''
      const node = nodes.get(host)
      return node === undefined ? name : `${name}/${node}`
    },
    refuses: (host, filter) => (((bits[host * bytesPerHost + (filter >> 3)] ?? 0) >> (filter & 7)) & 1) === 1,
  }
}
