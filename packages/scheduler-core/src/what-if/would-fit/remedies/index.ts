import { poolsKind } from '../../../kinds/pools/pools.ts'
import { claimFilterName } from '../../../pipeline/filtering/claim-filter-name.ts'
import type { Code } from '../../../text/codes.ts'
import { inGang } from '../gang/in-gang.ts'
import { amountForSeveral, amountsRemedy } from './amounts.ts'
import { companyRemedy } from './company.ts'
import { filterItselfRemedy } from './filter-itself.ts'
import { minCells } from './guest-cells.ts'
import { gpuRemedy, minDevices, numaRemedy, pciRemedy } from './hardware.ts'
import { isolationRemedy } from './isolation.ts'
import { respelt } from './names/spelling.ts'
import { placementRemedy } from './placement.ts'
import type { ProposedChange, Refusal, Remedy } from './remedy.ts'
import { serviceRemedy } from './service.ts'
import { specsRemedy } from './specs.ts'
import { wishesRemedy } from './wishes.ts'

/** All remedies. Each reason code of a host has exactly one remedy. */
export const remedies: readonly Remedy[] = [
  amountsRemedy,
  wishesRemedy,
  serviceRemedy,
  specsRemedy,
  companyRemedy,
  numaRemedy,
  pciRemedy,
  gpuRemedy,
  placementRemedy,
  isolationRemedy,
  filterItselfRemedy,
]

const byCode: ReadonlyMap<Code, Remedy> = new Map(remedies.flatMap((remedy) => remedy.codes.map((code) => [code, remedy] as const)))

/** The remedy for a reason code. Undefined if there is none. */
export const remedyFor = (code: Code): Remedy | undefined => byCode.get(code)

/**
 * Filters that read documents for something other than a hint, each with its code for a missing document. The remedy of this code also
 * suffices if a collector does not send the document.
 */
const codesOfMissing: Readonly<Record<string, Code>> = {
  [poolsKind.filter.name]: 'pool.not_told',
  [claimFilterName(poolsKind.filter.name)]: 'pool.not_told',
  TrustedFilter: 'trust.level',
}

function asMissing(refusal: Refusal): Refusal {
  const code = refusal.reason.code === 'namespace.not_sent' ? codesOfMissing[refusal.filter] : undefined
  return code === undefined ? refusal : { ...refusal, reason: { code } }
}

/** The changes that the remedy for a refusal proposes. */
export function remediesFor(given: Refusal): readonly ProposedChange[] {
  const refusal = asMissing(given)
  return remedyFor(refusal.reason.code)?.propose(refusal) ?? []
}

/** All changes that can remove a refusal: corrections of misspelt names, and the proposals of the remedy. */
export const proposalsFor = (refusal: Refusal): readonly ProposedChange[] =>
  [...respelt(refusal), ...remediesFor(refusal)].map((change) => inGang(change, refusal.gang))

/**
 * Further changes if the request is for several instances. They are needed because the numbers in a refusal, and so in `proposalsFor`, are
 * about a single instance.
 */
export function proposalsForSeveral(given: Refusal): readonly ProposedChange[] {
  const refusal = asMissing(given)
  return refusal.request.numInstances === 1
    ? []
    : [...amountForSeveral(refusal), ...minDevices(refusal), ...minCells(refusal)].map((change) => inGang(change, refusal.gang))
}
