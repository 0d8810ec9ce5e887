import { formatCount } from '../../../lib/format.ts'
import type { Overlay } from '../scenario.ts'

/** One edit of an overlay: the edit as a sentence, and the overlay without this edit. */
export interface Edit {
  readonly key: string
  readonly text: string
  readonly without: Overlay
}

/** The edits of an overlay, one by one, in the order in which they are applied. */
export function editsOf(overlay: Overlay): Edit[] {
  const {
    addHosts = [],
    removeHosts = [],
    drainHosts = [],
    disableHosts = [],
    enableHosts = [],
    aggregateChanges = [],
    ratios = [],
    reserves = [],
    releaseClaims = [],
  } = overlay
  const without = <Name extends keyof Overlay>(name: Name, list: readonly unknown[], index: number): Overlay => {
    const rest = list.filter((_, i) => i !== index)
    const { [name]: _list, ...others } = overlay
    return rest.length === 0 ? others : { ...others, [name]: rest }
  }
  const named = (
    name: 'removeHosts' | 'drainHosts' | 'disableHosts' | 'enableHosts' | 'releaseClaims',
    list: readonly string[],
    verb: string,
  ): Edit[] => list.map((one, i) => ({ key: `${name} ${one}`, text: `${verb} ${one}`, without: without(name, list, i) }))
  return [
    ...addHosts.map(({ likeHost, count = 1, availabilityZone }, i) => ({
      key: `addHosts ${i}`,
      text: `add ${formatCount(count)} like ${likeHost}${availabilityZone ? ` in ${availabilityZone}` : ''}`,
      without: without('addHosts', addHosts, i),
    })),
    ...named('removeHosts', removeHosts, 'remove'),
    ...named('drainHosts', drainHosts, 'drain'),
    ...named('disableHosts', disableHosts, 'disable'),
    ...named('enableHosts', enableHosts, 'enable'),
    ...aggregateChanges.map((change, i) => ({
      key: `aggregateChanges ${i}`,
      text: `aggregate ${change.aggregate}: ${aggregateText(change)}`,
      without: without('aggregateChanges', aggregateChanges, i),
    })),
    ...ratios.map(({ host, node, aggregate, resourceClass, allocationRatio }, i) => ({
      key: `ratios ${i}`,
      text: `${resourceClass} ratio ${allocationRatio} on ${node ?? host ?? aggregate ?? 'all hosts'}`,
      without: without('ratios', ratios, i),
    })),
    ...reserves.map(({ host, node, resourceClass, reserved }, i) => ({
      key: `reserves ${i}`,
      text: `${resourceClass} reserved ${formatCount(reserved)} on ${node ?? host}`,
      without: without('reserves', reserves, i),
    })),
    ...named('releaseClaims', releaseClaims, 'release claim'),
  ]
}

function aggregateText({
  addHosts = [],
  removeHosts = [],
  setMetadata = [],
  unsetMetadata = [],
}: NonNullable<Overlay['aggregateChanges']>[number]): string {
  const parts = [
    ...setMetadata.map(({ key, value }) => `${key}=${value}`),
    ...unsetMetadata.map((key) => `no ${key}`),
    ...(addHosts.length === 0 ? [] : [`with ${some(addHosts)}`]),
    ...(removeHosts.length === 0 ? [] : [`without ${some(removeHosts)}`]),
  ]
  return parts.length === 0 ? 'as it is' : parts.join(', ')
}

const some = (names: readonly string[]): string => (names.length > 3 ? `${formatCount(names.length)} hosts` : names.join(', '))

/** The kinds of edits that the form offers. */
export const editKinds = ['add', 'remove', 'drain', 'disable', 'enable', 'metadata', 'ratio', 'release'] as const
export type EditKind = (typeof editKinds)[number]

/** The content of the form for a new edit. The kind of the edit determines which fields are used. */
export interface EditDraft {
  readonly kind: EditKind
  /** Names of hosts or ids of claims. To add hosts, the name of the host that is copied. */
  readonly names: readonly string[]
  readonly count: number
  readonly zone: string
  readonly aggregate: string
  /** Lines about metadata: `key=value` sets a key, and `key` alone removes it. */
  readonly metadata: readonly string[]
  readonly resourceClass: string
  readonly ratio: number
}

export const NO_DRAFT: EditDraft = {
  kind: 'add',
  names: [],
  count: 1,
  zone: '',
  aggregate: '',
  metadata: [],
  resourceClass: 'MEMORY_MB',
  ratio: 1,
}

/** True if a draft has all fields that its kind needs. */
export function isWhole({ kind, names, count, aggregate, metadata, resourceClass, ratio }: EditDraft): boolean {
  if (kind === 'metadata') return aggregate !== '' && metadata.length > 0
  if (kind === 'ratio') return resourceClass !== '' && ratio > 0
  return names.length > 0 && (kind !== 'add' || count > 0)
}

/** The overlay with one more edit, made from the content of the form. */
export function withEdit(overlay: Overlay, draft: EditDraft): Overlay {
  const { kind, names, count, zone, aggregate, metadata, resourceClass, ratio } = draft
  const joined = (before: readonly string[] = []): string[] => [...new Set([...before, ...names])]
  switch (kind) {
    case 'add': {
      const added = names.map((likeHost) => ({ likeHost, count, ...(zone === '' ? {} : { availabilityZone: zone }) }))
      return { ...overlay, addHosts: [...(overlay.addHosts ?? []), ...added] }
    }
    case 'remove':
      return { ...overlay, removeHosts: joined(overlay.removeHosts) }
    case 'drain':
      return { ...overlay, drainHosts: joined(overlay.drainHosts) }
    case 'disable':
      return { ...overlay, disableHosts: joined(overlay.disableHosts) }
    case 'enable':
      return { ...overlay, enableHosts: joined(overlay.enableHosts) }
    case 'release':
      return { ...overlay, releaseClaims: joined(overlay.releaseClaims) }
    case 'metadata': {
      const setMetadata = metadata.flatMap((line) => {
        const at = line.indexOf('=')
        return at > 0 ? [{ key: line.slice(0, at), value: line.slice(at + 1) }] : []
      })
      const unsetMetadata = metadata.filter((line) => !line.includes('='))
      const change = {
        aggregate,
        ...(setMetadata.length > 0 ? { setMetadata } : {}),
        ...(unsetMetadata.length > 0 ? { unsetMetadata } : {}),
      }
      return { ...overlay, aggregateChanges: [...(overlay.aggregateChanges ?? []), change] }
    }
    case 'ratio': {
      const change = { resourceClass, allocationRatio: ratio, ...(aggregate === '' ? {} : { aggregate }) }
      return { ...overlay, ratios: [...(overlay.ratios ?? []), change] }
    }
  }
}
