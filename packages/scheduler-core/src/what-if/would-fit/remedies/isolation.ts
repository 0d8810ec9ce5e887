import { anotherHost } from './another-host.ts'
import type { Remedy } from './remedy.ts'

/**
 * For hosts that are reserved for other projects or images: they stay reserved, because an operator decided it. A new host, which is not
 * reserved, is proposed instead.
 */
export const isolationRemedy: Remedy = {
  name: 'isolation',
  codes: ['aggregate.project', 'isolation.image', 'isolation.host'],
  propose: ({ fleet, host, reason }) => (reason.code === 'isolation.host' ? [anotherHost(fleet.hosts.get(host))] : []),
}
