import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useOperation } from '../../../lib/service/api.ts'
import { FieldChanges } from '../../../ui/field-changes.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { VERSION } from '../documents.ts'
import { type Document, documentOf, type ProfileDraft } from './draft.ts'
import { type Difference, differences } from './draft-diff.ts'
import { rebase } from './draft-merge.ts'

interface DraftConflictProps {
  readonly draft: ProfileDraft
  /** The version that another operator wrote meanwhile. */
  readonly latest: { readonly id: string; readonly number: number }
  onRebase(draft: ProfileDraft): void
}

/** Shown if another operator wrote a version meanwhile: the changes of that version, next to the changes of the draft. */
export function DraftConflict({ draft, latest, onRebase }: DraftConflictProps) {
  const { data, error, refetch } = useOperation(VERSION, { id: latest.id })
  if (data?.node?.__typename !== 'ProfileVersion') return error ? <Problem error={error} onRetry={() => void refetch()} /> : null
  const theirs: Document = documentOf(data.node)
  const next = rebase(draft, theirs, latest.number)
  return (
    <Alert color="orange" role="alert" title={`Another operator wrote version ${latest.number} meanwhile`} data-conflict={latest.number}>
      <Stack gap="xs">
        <Side title="Changes of the other operator" lines={differences(draft.base, theirs)} nothing="No visible changes." />
        <Side
          title="Your changes on top of that version"
          lines={differences(theirs, next.own)}
          nothing="All your changes are already there."
        />
        <Group>
          <Button size="compact-sm" onClick={() => onRebase(next)}>
            Apply my changes to version {latest.number}
          </Button>
          <Button size="compact-sm" variant="outline" onClick={() => onRebase({ ...draft, latest: latest.number })}>
            Keep my draft as it is
          </Button>
        </Group>
      </Stack>
    </Alert>
  )
}

function Side({ title, lines, nothing }: { readonly title: string; readonly lines: readonly Difference[]; readonly nothing: string }) {
  return (
    <div data-side={title}>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      <FieldChanges label={title} empty={nothing} changes={lines} sides={['was', 'is']} isNarrow isBare />
    </div>
  )
}
