import { z } from 'zod'
import { namedKeys } from '../../request/request-reads.ts'
import { novaFilter } from '../parts/nova-filter.ts'

const EXTRA_SPEC = 'trust:trusted_host'
const UNKNOWN = 'unknown'

/** The time in seconds for which an attestation is valid. Nova's other options of this group belong to the attestation source. */
const options = z.strictObject({ 'trusted_computing.attestation_auth_timeout': z.number().int().min(0).default(60) })

/**
 * Passes nodes with the trust level that the flavor requires. An attestation service reports the level. The level is `unknown` if there is
 * no attestation service, if it does not know the node, or if its attestation of the node is too old.
 */
export const trustedFilter = novaFilter({
  name: 'TrustedFilter',
  description: 'The node has the trust level that the flavor requires, according to an attestation.',
  admits: {
    by: 'property',
    which: ({ flavor: { extraSpecs } }) => `with the trust level ${extraSpecs[EXTRA_SPEC]}`,
  },
  reads: ['hypervisorHostname', 'attestation.level', 'attestation.at'],
  readsRequest: { extraSpecs: namedKeys(EXTRA_SPEC) },
  asksAges: ({ flavor: { extraSpecs } }) => Boolean(extraSpecs[EXTRA_SPEC]),
  oncePerRequest: true,
  options,
  prepare({ flavor: { extraSpecs } }, { 'trusted_computing.attestation_auth_timeout': timeout }, { now, attestations }) {
    const need = extraSpecs != null && Object.hasOwn(extraSpecs, EXTRA_SPEC) ? extraSpecs[EXTRA_SPEC] : undefined
    if (!need) return undefined
    return ({ node }) => {
      const attestation = attestations?.attestationOf(node)
      const known = attestation !== undefined && now - attestation.at <= timeout * 1000 ? attestation : undefined
      const have = known?.level ?? UNKNOWN
      if (have === need) return undefined
      const unsent = known === undefined ? attestations?.unsentOf?.(node) : undefined
      return unsent ?? { code: 'trust.level', subject: 'level of trust', need, have, source: `extra spec ${EXTRA_SPEC}` }
    }
  },
})
