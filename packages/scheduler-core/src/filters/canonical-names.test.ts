import { describe, expect, test } from 'vitest'
import { openOverlay } from '../fleet/overlay.ts'
import { builtInProfilesAt } from '../profiles/built-in.ts'
import type { Profile } from '../records/profile.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { decide } from '../schedulers/decide.ts'
import { aLog, aReport, aRequest, type HostShape } from '../testing/index.ts'
import { CANONICAL_NAMES } from '../values/levels.ts'

/* Architectures, hypervisor types and VM modes are compared by Nova's canonical names, whatever names the image and the host use. */

function decided(shapes: Readonly<Record<string, HostShape>>, request: RequestSpec, profile: Profile, level = CANONICAL_NAMES) {
  const log = aLog()
  log.append([{ type: 'feature', level }, ...Object.entries(shapes).map(([name, shape]) => aReport(name, shape))])
  const overlay = openOverlay(log.fleet)
  try {
    const asked = { id: 'd', seed: 's', attempt: 1, alternatesPerInstance: 0, allOrNothing: true, claimIds: ['c'] }
    return decide(log.fleet, overlay, { ...asked, request, profile })
  } finally {
    overlay.discard()
  }
}

describe('every profile compares names in their canonical form', () => {
  const hosts = (arch: string, hvType = 'kvm', vmMode = 'hvm') => ({
    h1: { supportedInstances: [{ arch, hvType, vmMode }] },
    h2: { supportedInstances: [] },
  })
  test.each<readonly [string, Readonly<Record<string, HostShape>>, Record<string, string>, boolean]>([
    ['A22a LP 2062425: amd64 is x86_64', hosts('x86_64'), { architecture: 'amd64' }, true],
    ['LP 1558866: a host reports amd64 and the image requires x86_64', hosts('amd64'), { hw_architecture: 'x86_64' }, true],
    [
      'names are equal in capital and small letters',
      hosts('X86_64', 'KVM', 'HVM'),
      { hw_architecture: 'x86_64', img_hv_type: 'kvm', hw_vm_mode: 'hvm' },
      true,
    ],
    ['i586 is i686', hosts('i686'), { hw_architecture: 'i586' }, true],
    ['xapi is xen', hosts('x86_64', 'xen', 'xen'), { img_hv_type: 'xapi' }, true],
    ['hv is hvm', hosts('x86_64'), { vm_mode: 'hv' }, true],
    ['pv is xen and does not fit on hvm', hosts('x86_64'), { vm_mode: 'pv' }, false],
    ['a different architecture does not fit', hosts('aarch64'), { hw_architecture: 'amd64' }, false],
  ])('%s', (_name, given, properties, isPlaced) => {
    for (const name of ['default', 'nova', 'nova-compat']) {
      const profile = builtInProfilesAt(CANONICAL_NAMES).find((known) => known.name === name) as Profile
      const { parts } = decided(given, aRequest({ image: { id: 'i', properties } }), profile)
      expect([name, parts[0]?.host]).toEqual([name, isPlaced ? 'h1' : undefined])
    }
  })

  test('F14: an image with the architecture amd64 fits on an x86_64 host, but not below the feature level', () => {
    const request = aRequest({ image: { id: 'i', architecture: 'amd64' } })
    const own = builtInProfilesAt(CANONICAL_NAMES).find(({ name }) => name === 'default') as Profile
    expect(decided(hosts('x86_64'), request, own).parts).toHaveLength(1)
    expect(decided(hosts('x86_64'), request, own, CANONICAL_NAMES - 1).parts).toHaveLength(0)
  })

  test('a name that is unknown to Nova is compared unchanged', () => {
    const own = builtInProfilesAt(CANONICAL_NAMES).find(({ name }) => name === 'default') as Profile
    const request = aRequest({ image: { id: 'i', properties: { hw_architecture: 'loongarch64' } } })
    expect(decided(hosts('loongarch64'), request, own).parts).toHaveLength(1)
  })
})
