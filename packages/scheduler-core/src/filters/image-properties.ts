import type { Filter } from '../contracts/filter.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { reportOf } from '../hosts/sources.ts'
import type { HostStats } from '../report/stats.ts'
import { namedKeys } from '../request/request-reads.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { architectures, canonicalForm, hypervisorTypes, vmModes } from '../text/canonical-names.ts'
import { fromImage } from '../text/evidence.ts'
import type { HostIndex } from '../values/host-index.ts'
import { CANONICAL_NAMES } from '../values/levels.ts'
import { memoByObject } from '../values/memo.ts'

/** The image properties that a host must support, by their present names and by the older names that Nova maps. */
const properties = [
  ['hw_architecture', 'architecture', canonicalForm(architectures)],
  ['img_hv_type', 'hypervisor_type', canonicalForm(hypervisorTypes)],
  ['hw_vm_mode', 'vm_mode', canonicalForm(vmModes)],
] as const
const [[, , archOf], [, , typeOf], [, , modeOf]] = properties

/** The present and older names of all image properties that the filter reads. */
export const imagePropertiesRead: readonly string[] = [
  ...properties.map(([name]) => name),
  ...properties.map(([, older]) => older),
  'img_hv_requested_version',
  'hypervisor_version_requires',
]

type Image = NonNullable<RequestSpec['image']>

/** The properties of an image, each by its present name, with the name that the image uses. */
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

/** The hosts that an image's properties require, as text that follows "hosts". */
export function imagesAsked({ image }: RequestSpec, { featureLevel }: Fleet): string {
  if (image === null) return 'for any image'
  const { requested } = versionAskedBy(image)
  const asked = askedBy(image, featureLevel >= CANONICAL_NAMES).map(({ name, value }) => `${name} ${value}`)
  return `for images with ${[...asked, ...(requested === undefined ? [] : [`img_hv_requested_version ${requested}`])].join(', ')}`
}

/**
 * The host supports all requested values in one of its combinations of architecture, hypervisor type and VM mode, compared by Nova's names
 * (`amd64` is `x86_64`). Its hypervisor's version satisfies `img_hv_requested_version` (Nova's ImagePropertiesFilter).
 */
export const imagePropertiesFilter: Filter = {
  name: 'ImagePropertiesFilter',
  description: 'The host supports the architecture, hypervisor type, VM mode and hypervisor version that the image asks for.',
  admits: {
    by: 'property',
    which: imagesAsked,
  },
  reads: ['supportedInstances', 'hypervisorVersion'],
  readsHostOnly: true,
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

/** The combinations that a host supports, by Nova's names. Computed once per report. */
export const canonicalInstances = memoByObject((stats: HostStats): readonly Triple[] =>
  asReported(stats).map(([arch, hvType, vmMode]) => [archOf(arch), typeOf(hvType), modeOf(vmMode)]),
)

/** Whether a version as hosts report it (7002000 = 7.2.0) meets a predicate such as `>=6.0,<8`. */
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

/** 7002000 means 7.2.0. Nova reads 2012 as 2.12. */
const comparable = (reported: number): number =>
  reported < 1_000_000 ? Math.floor(reported / 1_000) * 1_000_000 + (reported % 1_000) * 1_000 : reported
