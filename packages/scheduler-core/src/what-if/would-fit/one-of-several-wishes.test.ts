import { describe, expect, test } from 'vitest'
import { builtInProfiles } from '../../profiles/built-in.ts'
import { FEATURE_LEVEL } from '../../records/change.ts'
import type { Profile } from '../../records/profile.ts'
import { aLog, aReport, aRequest, aUuid, type HostShape } from '../../testing/index.ts'
import { atOnce } from '../../values/steps.ts'
import { whatWouldFit } from './what-would-fit.ts'

/* If no host meets several requirements together, dropping each of them is proposed separately if this alone suffices. */

type Asked = Parameters<typeof aRequest>[0]

/** The proposals for a request on a fleet of ten hosts. Host h8 is in one aggregate, and h9 in another. */
function proposals(asked: Asked, named: string, shapes: Readonly<Record<string, HostShape>> = {}): readonly string[] {
  const hosts = Array.from({ length: 10 }, (_, i) => `h${i}`)
  const log = aLog()
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, ...hosts.map((host) => aReport(host, shapes[host] ?? {}))])
  log.append(
    ['h8', 'h9'].map((host, i) => ({
      ...{ type: 'aggregate', uuid: aUuid(8 + i), expectedVersion: 0, next: { name: `of ${host}`, hosts: [host], metadata: {} } },
    })),
  )
  const { counterfactuals } = atOnce(
    whatWouldFit(log.fleet, {
      ...{ request: aRequest(asked), profile: builtInProfiles.find(({ name }) => name === named) as Profile, seed: 's' },
      ...{ kinds: ['REQUEST'], maxChanges: 2, first: 20, minHosts: 1, maxRuns: 200, isOver: () => false },
    }),
  )
  return counterfactuals.map(({ changes }) => changes.map(({ subject, from, to }) => `${subject} ${from} -> ${to}`).join('; ')).sort()
}

const memberOf = (host: number): NonNullable<NonNullable<Asked>['requestedResources']>[number] => ({ amounts: [], memberOf: [aUuid(host)] })

const rows: readonly [string, Asked, readonly string[]][] = [
  [
    'a forced host and another requested destination: each can be dropped',
    { forceHosts: ['h8'], requestedDestination: { host: 'h9' } },
    ['hosts asked for h8 -> any', 'requested destination h9 -> any'],
  ],
  [
    'a forced host and another forced node: each can be dropped',
    { forceHosts: ['h8'], forceNodes: ['h9'] },
    ['hosts asked for h8 -> any', 'nodes asked for h9 -> any'],
  ],
  [
    'a forced host that is not in the requested aggregate: the host or the aggregate can be dropped',
    { forceHosts: ['h8'], requestedDestination: { aggregates: [aUuid(9)] } },
    [`aggregates asked for ${aUuid(9)} -> any`, 'hosts asked for h8 -> any'],
  ],
  [
    'two required aggregates without a common host: each can be dropped',
    { requestedResources: [memberOf(8), memberOf(9)] },
    [`aggregates asked for ${aUuid(8)} -> any`, `aggregates asked for ${aUuid(9)} -> any`],
  ],
]

describe.each(['default', 'nova-compat'])('by the profile %s', (named) => {
  test.each(rows)('%s', (_wishes, asked, expected) => expect(proposals(asked, named)).toEqual(expected))

  test('two image properties that no host satisfies together: each can be dropped', () => {
    const shape = (arch: string, hvType: string): HostShape => ({ supportedInstances: [{ arch, hvType, vmMode: 'hvm' }] })
    const shapes = Object.fromEntries(
      Array.from({ length: 10 }, (_, i) => [`h${i}`, i < 5 ? shape('x86_64', 'kvm') : shape('aarch64', 'xen')]),
    )
    const image = { id: 'i', architecture: 'x86_64', properties: { img_hv_type: 'xen' } }
    expect(proposals({ image }, named, shapes)).toEqual(['image architecture x86_64 -> not asked', 'image img_hv_type xen -> not asked'])
  })
})
