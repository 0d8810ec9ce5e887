import { anotherHost } from './another-host.ts'
import type { Remedy } from './remedy.ts'

/**
 * For hosts that operators reserved for other projects or images. Opening such a host is never proposed. If a filter's option lists the
 * reserved hosts by name (isolation.host), one more host is proposed, because the option does not list the name of the added host.
 */
export const isolationRemedy: Remedy = {
  name: 'isolation',
  codes: ['aggregate.project', 'isolation.image', 'isolation.host'],
  propose: ({ fleet, host, reason }) => (reason.code === 'isolation.host' ? [anotherHost(fleet.hosts.get(host))] : []),
}
