import { expect } from 'vitest'
import { requestOf } from '../../../nova/compat/testing/placement-rows.ts'
import { builtInProfiles } from '../../../profiles/built-in.ts'
import { FEATURE_LEVEL } from '../../../records/change.ts'
import { type Profile, profileSchema } from '../../../records/profile.ts'
import { aLog, aReport, aUuid, type HostShape } from '../../../testing/index.ts'
import { atOnce } from '../../../values/steps.ts'
import type { ChangeKind } from '../remedies/remedy.ts'
import { whatWouldFit } from '../what-would-fit.ts'

export const GIB = 1_024
const byDefault = builtInProfiles.find(({ name }) => name === 'default') as Profile
export const withNova = (name: string, options: Record<string, unknown> = {}): Profile => {
  const nova = builtInProfiles.find((known) => known.name === 'nova-compat') as Profile
  return profileSchema.parse({ ...nova, number: 1, filters: [{ name, options: options as never }, { name: 'RamFilter' }] })
}

export interface Case {
  readonly hosts: Readonly<Record<string, HostShape>>
  readonly request: Parameters<typeof requestOf>[0]
  readonly changes?: Parameters<ReturnType<typeof aLog>['append']>[0]
  readonly aggregates?: readonly { readonly name: string; readonly hosts: readonly string[]; readonly metadata: Record<string, string> }[]
  readonly profile?: Profile
  readonly kinds?: readonly ChangeKind[]
  readonly first?: number
}

export function answerOf({
  hosts,
  request,
  changes = [],
  aggregates = [],
  profile = byDefault,
  kinds = ['REQUEST', 'FLEET', 'POLICY'],
  first = 10,
}: Case) {
  const log = aLog()
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, ...Object.entries(hosts).map(([name, shape]) => aReport(name, shape))])
  log.append(aggregates.map((next, i) => ({ type: 'aggregate', uuid: aUuid(20 + i), expectedVersion: 0, next })))
  for (const change of changes) expect(log.append([change])).toEqual([undefined])
  const options = { request: requestOf(request), profile, kinds, seed: 's', maxChanges: 2, first, minHosts: 1, maxRuns: 100 }
  return atOnce(whatWouldFit(log.fleet, { ...options, isOver: () => false }))
}

export const saidOf = (given: Case): string[] =>
  answerOf(given).counterfactuals.map(({ changes }) => changes.map(({ subject, to }) => `${subject} -> ${to}`).join('; '))
export const extra = (extraSpecs: Record<string, string>) => ({ flavor: { vcpus: 1, memoryMb: 512, extraSpecs } })
export const zone = (name: string, hosts: readonly string[]) => ({ name, hosts, metadata: { availability_zone: name } })
