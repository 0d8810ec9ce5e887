import type { Document, DraftPart, DraftSettings, ProfileDraft } from './draft.ts'
import { movedIds } from './draft-diff.ts'

/** Applies the changes of a draft to the version that another operator wrote meanwhile. */
export function rebase(draft: ProfileDraft, theirs: Document, latest: number): ProfileDraft {
  const { base, own } = draft
  return {
    ...draft,
    from: latest,
    latest,
    base: theirs,
    own: {
      filters: mergeParts(base.filters, own.filters, theirs.filters),
      weighers: mergeParts(base.weighers, own.weighers, theirs.weighers),
      settings: { ...mergeMembers(base.settings, own.settings, theirs.settings, settingNames), note: own.settings.note },
    },
  }
}

const settingNames = [
  'hostSubsetSize',
  'normalisation',
  'tieOrder',
  'scheduler',
  'further',
] as const satisfies readonly (keyof DraftSettings)[]
const partMembers = ['enabled', 'shadow', 'multiplier', 'options'] as const satisfies readonly (keyof DraftPart)[]

/** Merges fields. Fields that the draft has changed are taken from the draft, and all other fields from the other operator's version. */
function mergeMembers<Whole>(base: Whole, own: Whole, theirs: Whole, names: readonly (keyof Whole)[]): Whole {
  const changes = names.filter((name) => own[name] !== base[name]).map((name) => [name, own[name]] as const)
  return { ...theirs, ...Object.fromEntries(changes) }
}

function mergeParts(base: readonly DraftPart[], own: readonly DraftPart[], theirs: readonly DraftPart[]): DraftPart[] {
  const of = (parts: readonly DraftPart[], id: string): DraftPart | undefined => parts.find((part) => part.id === id)
  const merged = (id: string): DraftPart[] => {
    const [was, mine, other] = [of(base, id), of(own, id), of(theirs, id)]
    if (mine === undefined) return other === undefined ? [] : [other]
    if (other === undefined) return was !== undefined && partMembers.every((name) => mine[name] === was[name]) ? [] : [mine]
    return [was === undefined ? mine : mergeMembers(was, mine, other, partMembers)]
  }
  // If the draft moved a filter or weigher, the order is that of the draft. If not, it is the order of the other operator's version.
  const [first, second] = movedIds(base, own).size > 0 ? [own, theirs] : [theirs, own]
  const order = first.map(({ id }) => id)
  for (const [i, { id }] of second.entries()) {
    if (order.includes(id)) continue
    const before = second.slice(0, i).findLast((part) => order.includes(part.id))
    order.splice(before === undefined ? 0 : order.indexOf(before.id) + 1, 0, id)
  }
  return order.flatMap(merged)
}
