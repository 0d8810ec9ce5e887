import { expect, test } from 'vitest'
import { builtInProfiles } from '../profiles/built-in.ts'
import { FEATURE_LEVEL } from '../records/change.ts'
import { aLog, aReport, aRequest, aUuid } from '../testing/index.ts'
import { causeOf } from './cause.ts'
import { causeText } from './cause-text.ts'

test.each([['an architecture', 'amd64', 'x86_64']])('two spellings of %s have one cause: %s and %s', (_what, alias, name) => {
  const log = aLog()
  const supported = [{ arch: name === 'aarch64' ? 'x86_64' : 'aarch64', hvType: 'kvm', vmMode: 'hvm' }]
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('a', { supportedInstances: supported })])
  for (const profile of builtInProfiles)
    for (const image of [
      (architecture: string) => ({ id: aUuid(3), properties: { hw_architecture: architecture } }),
      (architecture: string) => ({ id: aUuid(3), architecture }),
    ]) {
      const text = (spelling: string) => causeText(causeOf(log.fleet, aRequest({ image: image(spelling) }), profile))
      expect([profile.name, text(alias)]).toEqual([profile.name, text(name)])
    }
})

test.each([
  [{ forceHosts: ['a'], ignoreHosts: ['a'] }, 'There is no host named a, that ignoreHosts does not exclude.'],
  [{ forceHosts: ['a'], ignoreHosts: ['b'], memoryMb: 1_000_000 }, 'The only host named a does not take it.'],
  [{ gpus: { count: 3 } }, 'a: 3 GPUs needed; the host has 1 in total.'],
  [{ gpus: { count: 3, models: ['A'] } }, 'a: 3 GPUs of model A needed; the host has 1 in total.'],
])('the cause of the refusal of %j has the expected sentence', (asks, text) => {
  const log = aLog()
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('a', { gpus: [{ index: 0, model: 'A' }] })])
  const profile = builtInProfiles.find(({ name }) => name === 'default') as (typeof builtInProfiles)[number]
  expect(causeText(causeOf(log.fleet, aRequest(asks), profile))).toContain(text)
})
