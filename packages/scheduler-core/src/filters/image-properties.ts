import type { Filter } from '../contracts/filter.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { reportOf } from '../hosts/sources.ts'
import type { HostStats } from '../report/stats.ts'
import { namedKeys } from '../request/request-reads.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { architectures, canonicalForm, hypervisorTypes, vmModes } from '../text/canonical-names.ts'
import { fromImage } from '../text/evidence.ts'
import { canonicalJson } from '../values/canonical-json.ts'
import type { HostIndex } from '../values/host-index.ts'
import { CANONICAL_NAMES } from '../values/levels.ts'
import { memoByObject } from '../values/memo.ts'

/** Image properties that a host must support: the current name, the older name that Nova accepts, and a function for canonical values. */
const properties = [
  ['hw_architecture', 'architecture', canonicalForm(architectures)],
  ['img_hv_type', 'hypervisor_type', canonicalForm(hypervisorTypes)],
  ['hw_vm_mode', 'vm_mode', canonicalForm(vmModes)],
] as const
const [[, , archOf], [, , typeOf], [, , modeOf]] = properties

/** The current and older names of all image properties that the filter reads. */
export const imagePropertiesRead: readonly string[] = [
  ...properties.map(([name]) => name),
  ...properties.map(([, older]) => older),
  'img_hv_requested_version',
  'hypervisor_version_requires',
]

type Image = NonNullable<RequestSpec['image']>

/** The requirements of an image: the current name of each property, its value, and the name under which the image has it (`from`). */
const askedBy = (image: Image, isCanonical: boolean) =>
  properties.flatMap(([name, older, canonical]) => {
    const from = [name, older].find((key) => image.properties[key] !== undefined)
    const value = from === undefined ? (older === 'architecture' ? image.architecture : null) : image.properties[from]
    return value ? [{ name, value: isCanonical ? canonical(value) : value, from: from ?? 'architecture' }] : []
  })

function versionAskedBy({ properties }: Image): { readonly requestedBy: string; readonly requested: string | undefined } {
  const requestedBy = properties.img_hv_requested_version === undefined ? 'hypervisor_version_requires' : 'img_hv_requested_version'
  return { requestedBy, requested: properties[requestedBy] }
}

/** Describes the hosts that an image requires, as a phrase that follows "hosts", such as "for images with hw_architecture x86_64". */
export function imagesAsked({ image }: RequestSpec, { featureLevel }: Fleet): string {
  if (image === null) return 'for any image'
  const { requested } = versionAskedBy(image)
  const asked = askedBy(image, featureLevel >= CANONICAL_NAMES).map(({ name, value }) => `${name} ${value}`)
  return `for images with ${[...asked, ...(requested === undefined ? [] : [`img_hv_requested_version ${requested}`])].join(', ')}`
}

/**
 * Nova's ImagePropertiesFilter. One of the host's combinations of architecture, hypervisor type and VM mode must have all values that the
 * image requires. Names are compared in Nova's canonical form (`amd64` is `x86_64`). The version of the host's hypervisor, if it is
 * reported, must satisfy `img_hv_requested_version`. Like Nova's filter, this filter ignores the version if the image has none of the other
 * properties.
 */
export const imagePropertiesFilter: Filter = {
  name: 'ImagePropertiesFilter',
  description: 'The host supports the architecture, hypervisor type, VM mode and hypervisor version that the image requires.',
  admits: {
    by: 'property',
    which: imagesAsked,
  },
  reads: ['supportedInstances', 'hypervisorVersion'],
  readsHostOnly: true,
  cacheKey: ({ image }) =>
    image === null ? undefined : canonicalJson([image.architecture, ...imagePropertiesRead.map((name) => image.properties[name] ?? null)]),
  readsRequest: {
    imageProperties: namedKeys(...imagePropertiesRead),
    fields: ['architecture'],
  },
  prepare({ image }, { hosts, featureLevel }) {
    if (image === null) return undefined
    const isCanonical = featureLevel >= CANONICAL_NAMES
    const asked = askedBy(image, isCanonical)
    if (asked.length === 0) return undefined

    const { requestedBy, requested } = versionAskedBy(image)
    const supportedBy = (host: HostIndex) => (isCanonical ? canonicalInstances : asReported)(hosts.get(host).stats)
    const supports = (host: HostIndex) => supportedBy(host).some((triple) => asked.every(({ value }) => triple.includes(value)))
    const versionMeets = (host: HostIndex) => {
      const version = hosts.get(host).stats.hypervisorVersion
      return requested === undefined || !version || meetsVersion(version, requested)
    }
    const versionOf = (host: HostIndex) => ({
      subject: 'img_hv_requested_version',
      from: requestedBy,
      need: requested ?? '',
      have: hosts.get(host).stats.hypervisorVersion ?? 'none',
    })
    const instancesOf = (host: HostIndex) => ({
      subject: asked.map(({ name }) => name).join(', '),
      from: asked.map(({ from }) => from).join(', '),
      need: asked.map(({ value }) => value).join(', '),
      have:
        supportedBy(host)
          .map((triple) => triple.join('/'))
          .slice(0, 5)
          .join(' ') || 'nothing',
    })
    return {
      areJoint: true,
      each: () => [
        ...asked.map(({ name, value }) => ({
          which: `for images with ${name} ${value}`,
          passes: (host: HostIndex) => supportedBy(host).some((triple) => triple.includes(value)),
        })),
        ...(requested === undefined ? [] : [{ which: `for images with img_hv_requested_version ${requested}`, passes: versionMeets }]),
      ],
      passes: (host) => supports(host) && versionMeets(host),
      reason(host) {
        const { subject, need, have } = supports(host) ? versionOf(host) : instancesOf(host)
        return { code: 'image.unsupported', subject, need, have }
      },
      facts: (host) =>
        [...(supports(host) ? [] : [instancesOf(host)]), ...(versionMeets(host) ? [] : [versionOf(host)])].map(
          ({ subject, from, need: required, have: actual }) => ({
            subject,
            required,
            actual,
            requiredFrom: fromImage(from),
            actualFrom: reportOf(hosts.get(host)),
          }),
        ),
    }
  },
}

type Triple = readonly [arch: string, hvType: string, vmMode: string]

const asReported = ({ supportedInstances }: HostStats): readonly Triple[] =>
  supportedInstances.map(({ arch, hvType, vmMode }) => [arch, hvType, vmMode])

/** The supported combinations of architecture, hypervisor type and VM mode, in Nova's canonical names. Computed once per report. */
export const canonicalInstances = memoByObject((stats: HostStats): readonly Triple[] =>
  asReported(stats).map(([arch, hvType, vmMode]) => [archOf(arch), typeOf(hvType), modeOf(vmMode)]),
)

/** Returns true if the reported version (7002000 is 7.2.0) satisfies a predicate such as `>=6.0.0,<8.0`. */
function meetsVersion(reported: number, predicate: string): boolean {
  return predicate.split(',').every((clause) => {
    const match = /^\s*(<=|>=|==|!=|<|>)\s*(\d+)\.(\d+)(?:\.(\d+))?\s*$/.exec(clause)
    if (match === null) return false
    const [, operator, major, minor, patch = '0'] = match
    const difference = comparable(reported) - (Number(major) * 1_000_000 + Number(minor) * 1_000 + Number(patch))
    return {
      '<': difference < 0,
      '<=': difference <= 0,
      '>': difference > 0,
      '>=': difference >= 0,
      '==': difference === 0,
      '!=': difference !== 0,
    }[operator as '<']
  })
}

/** Converts a reported version to the form 7002000 (7.2.0). Some hosts report the short form 2012, which Nova reads as 2.12. */
const comparable = (reported: number): number =>
  reported < 1_000_000 ? Math.floor(reported / 1_000) * 1_000_000 + (reported % 1_000) * 1_000 : reported
