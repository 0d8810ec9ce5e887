import { describe, expect, test } from 'vitest'
import { FEATURE_LEVEL } from '../fleet/change.ts'
import { atOnce } from '../fleet/steps.ts'
import { builtInProfiles } from '../profiles/built-in.ts'
import type { Profile } from '../profiles/profile.ts'
import { aLog, aReport, aRequest, aUuid, type HostShape } from '../testing/index.ts'
import { whatWouldFit } from './what-would-fit.ts'

/* Of wishes that no host meets together, each that is enough to give up by itself is proposed by itself. */

type Asked = Parameters<typeof aRequest>[0]

/** On a fleet of many hosts, of which h8 is in an aggregate of its own and h9 in another one. */
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
      ...{ kinds: ['REQUEST'], maxChanges: 2, first: 20, minHosts: 1, mostRuns: 200, isOver: () => false },
    }),
  )
  return counterfactuals.map(({ changes }) => changes.map(({ subject, from, to }) => `${subject} ${from} -> ${to}`).join('; ')).sort()
}

const memberOf = (host: number): NonNullable<NonNullable<Asked>['requestedResources']>[number] => ({ amounts: [], memberOf: [aUuid(host)] })

const rows: readonly [string, Asked, readonly string[]][] = [
  [
    'hosts that are forced, and another destination',
    { forceHosts: ['h8'], requestedDestination: { host: 'h9' } },
    ['hosts asked for h8 -> any', 'requested destination h9 -> any'],
  ],
  [
    'forced hosts and other forced nodes',
    { forceHosts: ['h8'], forceNodes: ['h9'] },
    ['hosts asked for h8 -> any', 'nodes asked for h9 -> any'],
  ],
  [
    'a forced host, and a destination in an aggregate that it is not in',
    { forceHosts: ['h8'], requestedDestination: { aggregates: [aUuid(9)] } },
    [`aggregates asked for ${aUuid(9)} -> any`, 'hosts asked for h8 -> any'],
  ],
  [
    'two lists of aggregates that have no host in common',
    { requestedResources: [memberOf(8), memberOf(9)] },
    [`aggregates asked for ${aUuid(8)} -> any`, `aggregates asked for ${aUuid(9)} -> any`],
  ],
]

describe.each(['default', 'nova-compat'])('by the profile %s', (named) => {
  test.each(rows)('%s', (_wishes, asked, expected) => expect(proposals(asked, named)).toEqual(expected))

  test('properties of an image that no host has together', () => {
    const shape = (arch: string, hvType: string): HostShape => ({ supportedInstances: [{ arch, hvType, vmMode: 'hvm' }] })
    const shapes = Object.fromEntries(
      Array.from({ length: 10 }, (_, i) => [`h${i}`, i < 5 ? shape('x86_64', 'kvm') : shape('aarch64', 'xen')]),
    )
    const image = { id: 'i', architecture: 'x86_64', properties: { img_hv_type: 'xen' } }
    expect(proposals({ image }, named, shapes)).toEqual(['image architecture x86_64 -> not asked', 'image img_hv_type xen -> not asked'])
  })
})
