export function versionOf(module: string): string | undefined
export function wheelFaults(names: readonly string[], sources: readonly string[], distribution: string): string[]
export function sdistFaults(names: readonly string[], sources: readonly string[]): string[]
export function metadataFaults(metadata: string, expected: { readonly readme: string; readonly version: string }): string[]
export function versionFaults(texts: { readonly version: string; readonly changes: string; readonly changelog: string }): string[]
export function overrideFaults(texts: Readonly<Record<string, string>>): string[]
export function importsOf(page: string): string[]
