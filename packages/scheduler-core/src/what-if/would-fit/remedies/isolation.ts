import { anotherHost } from './another-host.ts'
import type { Remedy } from './remedy.ts'

/**
 * For hosts that operators reserved for other projects or images. Opening such a host is never proposed. If the option of the filter lists
 * the host by name, one more host is proposed, because it would not be in the list.
 */
export const isolationRemedy: Remedy = {
  name: 'isolation',
  codes: ['aggregate.project', 'isolation.image', 'isolation.host'],
  propose: ({ fleet, host, reason }) => (reason.code === 'isolation.host' ? [anotherHost(fleet.hosts.get(host))] : []),
}
