export const READ = 'query Read($uuid: UUID!) { aggregate(uuid: $uuid) { name version hostNames metadata { key value } } }'

export interface Read {
  readonly aggregate: {
    readonly name: string
    readonly version: number
    readonly hostNames: readonly string[]
    readonly metadata: readonly { readonly key: string; readonly value: string }[]
  } | null
}
