import { z } from 'zod'
import { namedKeys } from '../../request/request-reads.ts'
import { novaFilter } from '../parts/nova-filter.ts'

const EXTRA_SPEC = 'trust:trusted_host'
const UNKNOWN = 'unknown'

/**
 * The time in seconds for which an attestation is valid. The URL and protocol of the attestation service are options of the source of
 * attestations.
 */
const options = z.strictObject({ 'trusted_computing.attestation_auth_timeout': z.number().int().min(0).default(60) })

/**
 * Passes nodes with an attestation of the trust level that the flavor requires. The level is `unknown` if no source is configured, if the
 * source does not know the node, or if the attestation is too old.
 */
export const trustedFilter = novaFilter({
  name: 'TrustedFilter',
  description: 'The node has an attestation of the trust level that the flavor requires.',
  admits: {
    by: 'property',
    which: ({ flavor: { extraSpecs } }) => `with the trust level ${extraSpecs[EXTRA_SPEC]}`,
  },
  reads: ['hypervisorHostname'],
  readsRequest: { extraSpecs: namedKeys(EXTRA_SPEC) },
  oncePerRequest: true,
  options,
  prepare({ flavor: { extraSpecs } }, { 'trusted_computing.attestation_auth_timeout': timeout }, { now, attestations }) {
    const need = extraSpecs != null && Object.hasOwn(extraSpecs, EXTRA_SPEC) ? extraSpecs[EXTRA_SPEC] : undefined
    if (!need) return undefined
    return ({ node }) => {
      const attestation = attestations?.attestationOf(node)
      const have = attestation !== undefined && now - attestation.at <= timeout * 1000 ? attestation.level : UNKNOWN
      return have === need ? undefined : { code: 'trust.level', subject: 'level of trust', need, have, source: `extra spec ${EXTRA_SPEC}` }
    }
  },
})
