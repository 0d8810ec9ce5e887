interface Texts {
  readonly module: string
  readonly changes: string
  readonly changelog: string
}

export function withVersion(texts: Texts, version: string, date: Date): Texts
