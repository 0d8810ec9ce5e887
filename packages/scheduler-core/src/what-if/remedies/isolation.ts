import { anotherHost } from './another-host.ts'
import type { Remedy } from './remedy.ts'

/** Hosts that are kept for other projects or images stay so: whoever set them apart had a reason. A further host is not among those that are named. */
export const isolationRemedy: Remedy = {
  name: 'isolation',
  codes: ['aggregate.project', 'isolation.image', 'isolation.host'],
  propose: ({ fleet, host, reason }) => (reason.code === 'isolation.host' ? [anotherHost(fleet.hosts.get(host))] : []),
}
