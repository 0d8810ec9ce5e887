import { describe, expect, test } from 'vitest'
import { openOverlay } from '../fleet/overlay.ts'
import { builtInProfilesAt } from '../profiles/built-in.ts'
import { parseRequestSpec } from '../request/parse.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { decide } from '../schedulers/decide.ts'
import { aLog, aReport } from '../testing/index.ts'
import { NULL_DESTINATIONS } from '../values/levels.ts'
import { importNovaRequest } from './import/request.ts'

const object = (name: string, data: object) => ({
  'nova_object.name': name,
  'nova_object.namespace': 'nova',
  'nova_object.version': '1.4',
  'nova_object.data': data,
})

function nova(destination: object, more: object = {}): RequestSpec {
  const flavor = object('Flavor', { vcpus: 1, memory_mb: 64 })
  const imported = importNovaRequest(
    object('RequestSpec', { flavor, num_instances: 1, requested_destination: object('Destination', destination), ...more }),
  )
  const parsed = imported.ok ? parseRequestSpec(imported.document) : imported
  if (!('value' in parsed)) throw new Error(JSON.stringify(parsed))
  return parsed.value
}

/** Decides a request in a fleet with the hosts h1 and h2. Host h1 has more memory. */
function decided(request: RequestSpec, name: string, level = NULL_DESTINATIONS) {
  const log = aLog()
  log.append([{ type: 'feature', level }, ...['h1', 'h2'].map((host, i) => aReport(host, { memoryMb: 65_536 >> i }))])
  const profile = builtInProfilesAt(level).find((one) => one.name === name)
  if (profile === undefined) throw new Error(name)
  const overlay = openOverlay(log.fleet)
  try {
    const asked = { id: 'd', request, profile, seed: 's', attempt: 1, alternatesPerInstance: 0, allOrNothing: true, claimIds: ['c'] }
    return decide(log.fleet, overlay, asked)
  } finally {
    overlay.discard()
  }
}

describe('a Destination.host that is null is read as no host', () => {
  test.each<[string, RequestSpec, string | undefined]>([
    ['null', nova({ host: null, node: null }), 'h1'],
    ['unset', nova({}), 'h1'],
    ['null together with ignored hosts', nova({ host: null }, { ignore_hosts: ['h1'] }), 'h2'],
    ['null together with a forced host', nova({ host: null }, { force_hosts: ['h2'] }), 'h2'],
    ['null together with a node', nova({ host: null, node: 'h2' }), 'h2'],
    ['named', nova({ host: 'h2', node: null }), 'h2'],
    ['a host that does not exist', nova({ host: 'h9' }), undefined],
  ])('%s', (_situation, request, host) => {
    for (const profile of ['nova-compat', 'default']) expect([profile, decided(request, profile).parts[0]?.host]).toEqual([profile, host])
  })

  test("below the feature level, Nova's rules read null as a host that does not exist", () => {
    expect(decided(nova({ host: null }), 'nova-compat', NULL_DESTINATIONS - 1).parts).toEqual([])
  })
})
