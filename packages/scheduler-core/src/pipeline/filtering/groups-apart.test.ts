import { describe, expect, test } from 'vitest'
import { causeOf } from '../../cause/cause.ts'
import { causeText } from '../../cause/cause-text.ts'
import { checkpointOf, restoreFleet } from '../../fleet/checkpoint.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { openOverlay } from '../../fleet/overlay.ts'
import { builtInProfiles } from '../../profiles/built-in.ts'
import { type Change, FEATURE_LEVEL } from '../../records/change.ts'
import type { Profile } from '../../records/profile.ts'
import { decide } from '../../schedulers/decide.ts'
import { aClaim, aLog, aReport, aRequest, aUuid } from '../../testing/index.ts'

const [web, backup, third] = [aUuid(1), aUuid(2), aUuid(3)]
const profileNamed = (name: string) => builtInProfiles.find((profile) => profile.name === name) as Profile
const soft = 'SOFT_AFFINITY' as const
/** A proposal for a claim on this host, for a member of the group `uuid`. */
const claimed = (id: string, host: string, uuid: string, ...apartFrom: readonly string[]): Change =>
  aClaim({
    key: id,
    hosts: [host],
    grants: { classes: { VCPU: 1 } },
    group: { uuid, policy: soft, maxServerPerHost: null, ...(apartFrom.length > 0 && { apartFrom }) },
  })

/** A change that releases the claim with this key. The fence in the change is valid only for the second claim of the log. */
const released = (id: string): Change => ({ type: 'release', claim: `${id}.0`, fence: 3 * 65_536, reason: null })

function town(...changes: readonly Change[]) {
  const log = aLog()
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, ...['a', 'b', 'c'].map((name) => aReport(name))])
  const verdicts = changes.map((change) => log.append([change])[0])
  return { log, verdicts }
}

function placedOn(fleet: Fleet, asks: Parameters<typeof aRequest>[0], profile = 'default'): readonly string[] {
  const request = aRequest(asks)
  const claimIds = Array.from({ length: request.numInstances }, (_, i) => `n${i}`)
  const input = { id: 'd', request, profile: profileNamed(profile), seed: 's', attempt: 1, alternatesPerInstance: 0, claimIds }
  const overlay = openOverlay(fleet)
  const { parts } = decide(fleet, overlay, { ...input, allOrNothing: false })
  overlay.discard()
  return parts.map(({ host }) => host)
}

const groupOf = (uuid: string, ...apartFrom: string[]) => ({ instanceGroup: { uuid, policy: soft, apartFrom } })

describe('G01, credativ/ProxLB #35: members of a group share no host with members of a group that it must be kept apart from', () => {
  test.each(['default', 'nova-compat', 'best-fit', 'random'])('the requested group has the rule, under %s', (profile) => {
    const { log } = town(claimed('w', 'a', web), claimed('x', 'b', web))
    expect(placedOn(log.fleet, { numInstances: 2, ...groupOf(backup, web) }, profile)).toEqual(['c', 'c'])
  })

  test.each(['default', 'nova-compat', 'best-fit', 'random'])('the existing group has the rule, under %s', (profile) => {
    const { log } = town(claimed('w', 'a', web, backup), claimed('x', 'b', web, backup))
    expect(placedOn(log.fleet, { numInstances: 2, ...groupOf(backup) }, profile)).toEqual(['c', 'c'])
  })

  test('members of other groups may share a host with members of these groups', () => {
    const { log } = town(claimed('w', 'a', web, backup), claimed('x', 'b', web, backup))
    expect(new Set(placedOn(log.fleet, { numInstances: 3, ...groupOf(third) }, 'first-fit'))).toEqual(new Set(['a']))
  })

  test('the groups that the request of one member names apply to all members of its group', () => {
    const { log } = town(claimed('w', 'a', web), claimed('x', 'b', web, backup))
    expect(placedOn(log.fleet, groupOf(backup), 'first-fit')).toEqual(['c'])
    expect(log.fleet.groups.find(web)?.apartFrom).toEqual([backup])
  })

  test('a group is not kept apart from a group without members', () => {
    const { log } = town(claimed('w', 'a', web, backup))
    const claim = log.fleet.ledger.claims.get('w.0')
    log.append([{ type: 'release', claim: 'w.0', fence: claim?.fence ?? 0, reason: null }])
    expect(placedOn(log.fleet, groupOf(backup), 'first-fit')).toEqual(['a'])
  })

  test('the cause names the other group, with the number of its members', () => {
    const { log } = town(claimed('w', 'a', web), claimed('x', 'b', web), claimed('y', 'c', web))
    expect(causeText(causeOf(log.fleet, aRequest(groupOf(backup, web)), profileNamed('default')))).toBe(
      `Of 3 hosts none takes it: 3 with members of a server group that must be on other hosts. Nearest is a: Server group ${backup}: the host must have no member of ${web}; it has 1.`,
    )
  })
})

describe('the judge keeps two groups apart even if their claims were decided at the same time', () => {
  test.each<[string, readonly Change[], readonly (string | undefined)[]]>([
    ['the second claim names the other group', [claimed('w', 'a', web), claimed('x', 'a', backup, web)], [undefined, 'claim.group_rule']],
    ['the first claim names the other group', [claimed('w', 'a', web, backup), claimed('x', 'a', backup)], [undefined, 'claim.group_rule']],
    ['claims on different hosts are valid', [claimed('w', 'a', web, backup), claimed('x', 'b', backup)], [undefined, undefined]],
    [
      'a claim on any host that would keep two groups apart is void if they already share a host, and they can still share it',
      [claimed('w', 'a', web), claimed('x', 'a', backup), claimed('y', 'b', backup, web), claimed('z', 'a', backup)],
      [undefined, undefined, 'claim.group_mismatch', undefined],
    ],
    [
      'groups that no longer share a host can be kept apart',
      [claimed('w', 'a', web), claimed('x', 'a', backup), released('x'), claimed('y', 'b', backup, web), claimed('z', 'a', backup)],
      [undefined, undefined, undefined, undefined, 'claim.group_rule'],
    ],
    [
      'a claim that is void leaves no rule behind',
      [claimed('w', 'a', web), claimed('x', 'b', third), claimed('y', 'a', backup, web, third), claimed('z', 'b', backup)],
      [undefined, undefined, 'claim.group_rule', undefined],
    ],
    [
      'a void claim adds nothing to the rule of an existing group',
      [claimed('w', 'a', web), claimed('x', 'b', backup), claimed('y', 'a', backup, web), claimed('z', 'a', backup)],
      [undefined, undefined, 'claim.group_rule', undefined],
    ],
  ])('%s', (_name, changes, verdicts) => {
    expect(town(...changes).verdicts).toEqual(verdicts)
  })

  test('a claim cannot join a group if its host has members of a group that must be kept apart', () => {
    const joining = (host: string) => {
      const { log } = town(claimed('w', 'a', web, backup), claimed('x', host, third))
      const fence = log.fleet.ledger.claims.get('x.0')?.fence ?? 0
      const group = { uuid: backup, policy: soft, maxServerPerHost: null }
      return log.append([{ type: 'membership', claim: 'x.0', fence, group }])
    }
    expect([joining('a'), joining('b')]).toEqual([['group.conflict'], [undefined]])
  })

  test('a fleet restored from a checkpoint keeps the groups apart', () => {
    const { log } = town(claimed('w', 'a', web, backup))
    const restored = restoreFleet(checkpointOf(log.fleet))
    expect(restored.groups.find(web)).toEqual(log.fleet.groups.find(web))
    expect(placedOn(restored, groupOf(backup), 'first-fit')).toEqual(['b'])
  })
})
