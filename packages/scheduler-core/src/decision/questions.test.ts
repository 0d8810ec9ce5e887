import { expect, test } from 'vitest'
import { Fleet } from '../fleet/fleet.ts'
import { checkPlugin, joinPlugins } from '../plugin/check-plugin.ts'
import { definePlugin } from '../plugin/index.ts'
import { FEATURE_LEVEL } from '../records/change.ts'
import { profileSchema } from '../records/profile.ts'
import { aClaim, aLog, aMove, aReport, aRequest } from '../testing/index.ts'
import { type LookedAway, questionsOf } from './questions.ts'

const checked = checkPlugin({
  ...definePlugin({ name: 'far', version: '1.0.0', description: 'Of a test.' }),
  filters: [
    {
      ...{ name: 'FarFilter', description: 'Of a test.', reads: [], readsHostOnly: true, outside: { by: 'far@1.0.0' } },
      prepare() {
        throw new Error('expected no call of FarFilter in this process')
      },
    },
  ],
})
const joined = checked.ok ? joinPlugins([checked.value]) : checked
if (!joined.ok) throw new Error('expected a valid plug-in')
const plugins = joined.value
const profile = profileSchema.parse({ name: 'site', number: 1, filters: [{ name: 'ComputeFilter' }, { name: 'FarFilter' }], weighers: [] })

/** The names of the hosts that are sent to a filter outside of the process. */
function asked(fleet: Fleet, shape: Parameters<typeof aRequest>[0], away: LookedAway): readonly string[] {
  return questionsOf(fleet, profile, aRequest(shape), away).flatMap(({ hosts }) => hosts.map((host) => fleet.hosts.get(host).host))
}

test('a filter outside of the process is called for a host that is full only because of the instance that is rebuilt or resized', () => {
  const log = aLog(new Fleet({ plugins }))
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('h1', { gpus: [{ index: 0 }] })])
  log.append([aClaim({ grants: { classes: { VCPU: 16 }, gpu: [{ index: 0, milli: 1_000 }] } })])
  const source = log.fleet.ledger.claims.get('k1.0')
  const request = { vcpus: 16, memoryMb: 64, gpus: { count: 1 } }
  expect(asked(log.fleet, request, { source, intent: 'REBUILD' })).toEqual(['h1'])
  expect(asked(log.fleet, request, { source, intent: 'RESIZE' })).toEqual(['h1'])
  // a resize to two GPUs does not fit on the host, which has only one GPU
  expect(asked(log.fleet, { ...request, gpus: { count: 2 } }, { source, intent: 'RESIZE' })).toEqual([])
})

test('a filter outside of the process is called for a host that is full only because of the previous destination of the move', () => {
  const log = aLog(new Fleet({ plugins }))
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('h1'), aReport('h2')])
  log.append([aClaim({ grants: { classes: { VCPU: 16 } } })])
  const claims = log.fleet.ledger.claims
  const move = aMove({
    source: { claim: 'k1.0', fence: claims.get('k1.0')?.fence ?? 0 },
    key: 'k2',
    hosts: ['h2'],
    grants: { classes: { VCPU: 16 } },
  })
  expect(log.append([move])).toEqual([undefined])
  const source = claims.get('k1.0')
  const ends = claims.get(source?.target ?? '')
  const request = { vcpus: 16, memoryMb: 64, ignoreHosts: ['h1'] }
  expect(asked(log.fleet, request, { source, ends, intent: 'LIVE_MIGRATE' })).toEqual(['h2'])
  expect(asked(log.fleet, request, { source, intent: 'LIVE_MIGRATE' })).toEqual([])
})
