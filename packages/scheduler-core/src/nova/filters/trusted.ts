import { z } from 'zod'
import { namedKeys } from '../../request/request-reads.ts'
import { novaFilter } from '../parts/nova-filter.ts'

const EXTRA_SPEC = 'trust:trusted_host'
const UNKNOWN = 'unknown'

/** Seconds for which an attestation is valid. The address and protocol of the service are options of its source. */
const options = z.strictObject({ 'trusted_computing.attestation_auth_timeout': z.number().int().min(0).default(60) })

/**
 * The node is attested to be as trustworthy as the flavor asks for. Without a configured source there are no attestations: the level is
 * `unknown` then, as it is for a node that the source does not know or whose attestation is too old.
 */
export const trustedFilter = novaFilter({
  name: 'TrustedFilter',
  description: 'The node is attested to have the level of trust that the flavor asks for.',
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
