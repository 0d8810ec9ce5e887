import { at } from '../../../hosts/columns.ts'
import { anotherHost } from './another-host.ts'
import type { Remedy } from './remedy.ts'

/** An index in `livenessStates`. */
const DOWN = 2

/**
 * For hosts that are disabled or down: proposes to enable the host or to bring it up. Both are last resorts: an operator had a reason to
 * disable the host, and a host that is down is possibly broken.
 */
export const serviceRemedy: Remedy = {
  name: 'service',
  codes: ['host.disabled', 'host.down'],
  propose({ fleet, host, reason }) {
    const record = fleet.hosts.get(host)
    const { liveness } = fleet.hosts.columns
    const isClosed = reason.code === 'host.disabled'
    // a disabled host that is also DOWN must be enabled and brought up
    const isDown = !isClosed || at(liveness, host) === DOWN
    const because = reason.source ? ` (${reason.source})` : ''
    const state = isClosed ? `${String(reason.have ?? 'disabled')}${isDown ? ' and down' : ''}` : 'down'
    return [
      {
        kind: 'FLEET',
        subject: `host ${record.host}`,
        from: `${state}${because}`,
        to: isClosed ? (isDown ? 'enabled and up' : 'enabled') : 'up',
        effort: isDown ? 4 : 3,
        lastResort: true,
        edits: { enableHosts: [record.host] },
      },
      // an added host with the same hardware would be enabled and up
      anotherHost(record),
    ]
  },
}
