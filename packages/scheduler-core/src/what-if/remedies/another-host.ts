import type { HostName } from '../../fleet/host-name.ts'
import type { ProposedChange } from './remedy.ts'

/** One more machine of the same kind, with nothing on it. */
export const anotherHost = ({ host: likeHost }: Pick<HostName, 'host'>): ProposedChange => ({
  kind: 'FLEET',
  subject: 'hosts',
  from: null,
  to: `one more like ${likeHost}`,
  effort: 8,
  edits: { addHosts: [{ likeHost, count: 1, availabilityZone: null, aggregates: null }] },
})
