export interface RuffSettings {
  readonly lint?: { readonly 'per-file-ignores'?: Readonly<Record<string, readonly string[]>>; readonly [option: string]: unknown }
  readonly [option: string]: unknown
}

export function findings(files: readonly { readonly file: string; readonly text: string }[], settings: RuffSettings): string[]
export function ruffSettings(folder: string, python?: string): RuffSettings
