import type { ModelAggregate, ModelClaim, ModelFleetAllocation, ModelGroup, ModelHost, ModelKey } from './state.ts'

const KEY_AFTERLIFE = 3_600_000

/** The state after the entries that were applied so far, in plain lists. Values that can be computed from others are not stored. */
export class ModelFleet {
  revision = 0
  now = 0
  /** The feature level of the log. */
  level = 1
  /** How long a key is stored after its last claim ended, in milliseconds. */
  afterlife = KEY_AFTERLIFE
  hosts: ModelHost[] = []
  /** All names under which a report took effect, including those of hosts that left. */
  reported = new Set<string>()
  claims: ModelClaim[] = []
  keys: ModelKey[] = []
  groups: ModelGroup[] = []
  aggregates: ModelAggregate[] = []
  allocation: ModelFleetAllocation = { version: 0, release: null, classes: {} }
  /** The id and time of the entry at each revision. Index 0 is the state before the first entry. */
  places: { id: string; at: number }[] = [{ id: '', at: 0 }]

  host(name: string): ModelHost | undefined {
    return this.hosts.find((host) => host.name === name && host.gone === null)
  }

  claim(id: string): ModelClaim | undefined {
    return this.claims.find((claim) => claim.id === id)
  }

  group(uuid: string | null): ModelGroup | undefined {
    return this.groups.find((group) => group.uuid === uuid)
  }
}
