import type { Grouping } from '../search.ts'

interface GroupingText {
  /** The name of the grouping within a sentence, such as "cause" in "by cause". */
  readonly name: string
  readonly nouns: readonly [one: string, many: string]
  /** The label of the group with the decisions that have no value, such as no flavor name. */
  readonly none: string
  /** The name of the grouping in the API. */
  readonly by: 'CAUSE' | 'FLAVOR' | 'PROJECT' | 'PROFILE' | 'CHAIN'
}

export const groupingTexts: Readonly<Record<Grouping, GroupingText>> = {
  cause: { by: 'CAUSE', name: 'cause', nouns: ['cause', 'causes'], none: 'placed, or without a recorded cause' },
  flavor: { by: 'FLAVOR', name: 'flavor', nouns: ['flavor', 'flavors'], none: 'a flavor without a name' },
  project: { by: 'PROJECT', name: 'project', nouns: ['project', 'projects'], none: 'no project' },
  profile: { by: 'PROFILE', name: 'profile', nouns: ['profile', 'profiles'], none: 'no profile' },
  chain: { by: 'CHAIN', name: 'retry chain', nouns: ['chain', 'chains'], none: 'no instance named' },
}

/** A filter with an additional term. */
export const joined = (q: string, terms: string): string => (q === '' ? terms : `${q} ${terms}`)
