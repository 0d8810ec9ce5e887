import type { Fleet } from '../../fleet/fleet.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import type { HostIndex } from '../../values/host-index.ts'
import type { HostState } from '../objects/host-state.ts'
import type { NovaRequest } from '../objects/request.ts'
import { ownHostsOf } from '../own/own-hosts.ts'
import { novaRequestOn } from '../requests/own-request.ts'

/** Gives the request and the hosts of a fleet as Nova's rules read them. */
export type NovaView = (
  fleet: Fleet,
  request: RequestSpec,
) => {
  readonly wanted: NovaRequest
  readonly hostOf: (host: HostIndex) => HostState
}

/** The request and the hosts as they are in the fleet. */
export const presentView: NovaView = (fleet, request) => ({ wanted: novaRequestOn(fleet, request), hostOf: ownHostsOf(fleet) })
