import { formatMib } from './format.ts'

/** A flavor that was asked for, as the service counts it. */
export interface AskedFlavor {
  readonly name: string | null
  readonly vcpus: number
  readonly memoryMb: number
  readonly rootGb: number
  readonly ephemeralGb: number
  readonly swapMb: number
  readonly extraSpecs: readonly { readonly key: string; readonly value: string }[]
  /** How many decisions asked for it. */
  readonly decisions: number
}

/** A flavor in a few words. */
export const nameOfFlavor = ({ name, vcpus, memoryMb }: Pick<AskedFlavor, 'name' | 'vcpus' | 'memoryMb'>): string =>
  name ?? `${vcpus} vCPU / ${formatMib(memoryMb)}`

/** The request for one of a flavor, in the form of docs/request-spec.md. */
export const requestOfFlavor = ({ decisions: _, extraSpecs, ...flavor }: AskedFlavor) => ({
  flavor: { ...flavor, extraSpecs: Object.fromEntries(extraSpecs.map(({ key, value }) => [key, value])) },
})
