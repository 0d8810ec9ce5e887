import type { HostName } from '../../../values/host-name.ts'
import type { ProposedChange } from './remedy.ts'

/** Proposes to add an empty host with the same hardware as the host `likeHost`. */
export const anotherHost = ({ host: likeHost }: Pick<HostName, 'host'>): ProposedChange => ({
  kind: 'FLEET',
  subject: 'hosts',
  from: null,
  to: `one more like ${likeHost}`,
  effort: 8,
  edits: { addHosts: [{ likeHost, count: 1, availabilityZone: null, aggregates: null }] },
})
