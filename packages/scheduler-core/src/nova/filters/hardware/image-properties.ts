import { z } from 'zod'
import { imagesAsked } from '../../../filters/image-properties.ts'
import { namedKeys } from '../../../request/request-reads.ts'
import type { Reason } from '../../../text/reason.ts'
import type { HostState } from '../../objects/host-state.ts'
import type { NovaRequest } from '../../objects/request.ts'
import { novaFilter } from '../../parts/nova-filter.ts'
import { architectureName, hypervisorTypeName, vmModeName } from '../../text/names.ts'
import { hypervisorVersionText, versionSatisfies } from '../../text/versions.ts'

const DEFAULT_ARCHITECTURE = 'image_properties_default_architecture'

/** The option sets the architecture of images that do not state their architecture. */
const options = z.strictObject({ [DEFAULT_ARCHITECTURE]: z.string().nullable().default(null) })

/**
 * A host reports triples of architecture, hypervisor type and machine mode. The host passes if one of its triples has all values that the
 * image requires, and if its hypervisor has the required version. As in Nova, a required version alone has no effect, and a host that
 * reports no hypervisor version passes.
 */
export const imagePropertiesFilter = novaFilter({
  name: 'ImagePropertiesFilter',
  description: 'The host supports the architecture, hypervisor and machine mode that the image requires.',
  admits: {
    by: 'property',
    which: imagesAsked,
  },
  reads: ['supportedInstances', 'hypervisorVersion'],
  cachedBy: ['image'],
  oncePerRequest: true,
  runsOnRebuild: true,
  readsRequest: {
    imageProperties: namedKeys(
      'hw_architecture',
      'img_hv_type',
      'hw_vm_mode',
      'img_hv_requested_version',
      'architecture',
      'hypervisor_type',
      'vm_mode',
      'hypervisor_version_requires',
    ),
    fields: ['architecture'],
  },
  options,
  prepare(request, { [DEFAULT_ARCHITECTURE]: byDefault }) {
    const ownArchitecture = propertyOf(request, 'hw_architecture')
    const wanted = [
      canonical(ownArchitecture ?? byDefault, architectureName),
      canonical(propertyOf(request, 'img_hv_type'), hypervisorTypeName),
      canonical(propertyOf(request, 'hw_vm_mode'), vmModeName),
    ].filter((name) => name !== undefined)
    if (wanted.length === 0) return undefined
    const version = propertyOf(request, 'img_hv_requested_version')
    const versionReason = ({ hypervisorVersion }: HostState): Reason | undefined => {
      if (!version || !hypervisorVersion) return undefined
      const have = hypervisorVersionText(hypervisorVersion)
      if (versionSatisfies(have, version)) return undefined
      return {
        code: 'image.version',
        subject: 'hypervisor version',
        need: version,
        have,
        source: 'image property img_hv_requested_version',
      }
    }
    const instancesReason = ({ supportedInstances }: HostState, names = wanted): Reason | undefined => {
      // As in Nova, a required value can be at any position of the triple. So a host with hypervisor type `xen` satisfies the mode `xen`.
      if (supportedInstances.some((triple) => names.every((name) => triple.includes(name)))) return undefined
      const have = supportedInstances.map((triple) => triple.join(' ')).join(', ') || 'none'
      return { code: 'image.unsupported', subject: 'instances', need: names.join(' '), have, source: 'image properties' }
    }
    const each = [
      ...wanted.map((name) => ({ which: `for images with ${name}`, check: (host: HostState) => instancesReason(host, [name]) })),
      ...(version ? [{ which: `for images with img_hv_requested_version ${version}`, check: versionReason }] : []),
    ]
    const check = Object.assign((host: HostState) => instancesReason(host) ?? versionReason(host), { each, areJoint: true as const })
    if (ownArchitecture !== undefined || !byDefault) return check
    const stated = [...wanted.slice(1), ...(version ? [`img_hv_requested_version ${version}`] : [])]
    const which = `for images with ${[`${wanted[0]} by ${DEFAULT_ARCHITECTURE}`, ...stated].join(', ')}`
    return Object.assign(check, { which })
  },
})

/** The value of an image property. All properties that this filter reads are strings. */
function propertyOf({ image }: NovaRequest, name: string): string | undefined {
  const value = image?.properties[name]
  return typeof value === 'string' ? value : undefined
}

const canonical = (name: string | null | undefined, read: (name: string) => string): string | undefined => (name ? read(name) : undefined)
