import { Badge } from '@mantine/core'

const states: Readonly<Record<string, { readonly colour: string; readonly label: string; readonly title: string }>> = {
  ACTIVE: { colour: 'green', label: 'active', title: 'This version is active.' },
  CANARY: { colour: 'orange', label: 'canary', title: 'This version decides a share of the calls.' },
  SHADOW: { colour: 'grape', label: 'shadow', title: 'This version runs in parallel with the active version, and claims nothing.' },
  DRAFT: { colour: 'gray', label: 'draft', title: 'This version was created and has never decided, as far as is known.' },
  RETIRED: { colour: 'gray', label: 'retired', title: 'This version was active before.' },
  ROLLED_BACK: { colour: 'red', label: 'rolled back', title: 'This version was rolled back.' },
}

interface StateBadgeProps {
  readonly state: string
  /** Only for a canary: the percentage of calls that the version decides. */
  readonly percent?: number | undefined
}

/** The present state of a version. */
export function StateBadge({ state, percent }: StateBadgeProps) {
  const { colour, label, title } = states[state] ?? { colour: 'gray', label: state.toLowerCase().replaceAll('_', ' '), title: '' }
  return (
    <Badge
      variant={state === 'DRAFT' || state === 'RETIRED' ? 'outline' : 'light'}
      color={colour}
      tt="none"
      title={title}
      data-state={state}
    >
      {label}
      {percent === undefined ? '' : ` ${percent} %`}
    </Badge>
  )
}
