import type { Grouping } from './search.ts'

interface GroupingText {
  /** In a sentence: "by cause". */
  readonly name: string
  readonly nouns: readonly [one: string, many: string]
  /** Those that have none of it. */
  readonly none: string
  /** As the service calls it. */
  readonly by: 'CAUSE' | 'FLAVOR' | 'PROJECT' | 'PROFILE' | 'CHAIN'
}

/** How decisions can be gathered. */
export const groupingTexts: Readonly<Record<Grouping, GroupingText>> = {
  cause: { by: 'CAUSE', name: 'cause', nouns: ['cause', 'causes'], none: 'no cause kept' },
  flavor: { by: 'FLAVOR', name: 'flavor', nouns: ['flavor', 'flavors'], none: 'a flavor without a name' },
  project: { by: 'PROJECT', name: 'project', nouns: ['project', 'projects'], none: 'no project' },
  profile: { by: 'PROFILE', name: 'profile', nouns: ['profile', 'profiles'], none: 'no profile' },
  chain: { by: 'CHAIN', name: 'retry chain', nouns: ['chain', 'chains'], none: 'no instance named' },
}

/** A filter with more to ask. */
export const joined = (q: string, terms: string): string => (q === '' ? terms : `${q} ${terms}`)
