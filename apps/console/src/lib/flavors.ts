import { formatMib } from './format.ts'

/** A flavor that decisions requested, with the count of these decisions. */
export interface AskedFlavor {
  readonly name: string | null
  readonly vcpus: number
  readonly memoryMb: number
  readonly rootGb: number
  readonly ephemeralGb: number
  readonly swapMb: number
  readonly extraSpecs: readonly { readonly key: string; readonly value: string }[]
  /** How many decisions requested the flavor. */
  readonly decisions: number
}

/** The name of a flavor, or its size if it has no name. */
export const nameOfFlavor = ({ name, vcpus, memoryMb }: Pick<AskedFlavor, 'name' | 'vcpus' | 'memoryMb'>): string =>
  name ?? `${vcpus} vCPU / ${formatMib(memoryMb)}`

/** The request for one instance of a flavor, in the form of docs/request-spec.md. */
export const requestOfFlavor = ({ decisions: _, extraSpecs, ...flavor }: AskedFlavor) => ({
  flavor: { ...flavor, extraSpecs: Object.fromEntries(extraSpecs.map(({ key, value }) => [key, value])) },
})
