import { Button, Group, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { formatCount } from '../../../lib/format.ts'
import { request } from '../../../lib/service/api.ts'
import { useChange } from '../../../lib/service/use-change.ts'
import { useLatest } from '../../../lib/service/use-latest.ts'
import { Problem } from '../../../ui/problem.tsx'
import { MATCHING } from '../documents.ts'

interface AddByFilterProps {
  /** Hosts that are members, or are in the draft. */
  readonly known: ReadonlySet<string>
  onAdd(hosts: readonly string[]): void
}

/**
 * An input that adds the names of all hosts that match a filter at present to the draft. Hosts that match the filter later do not become
 * members.
 */
export function AddByFilter(props: AddByFilterProps) {
  const [query, setQuery] = useState('')
  const [said, setSaid] = useState('')
  const { problem, isBusy, see, forget } = useChange()
  // The operator can edit the draft during the search. The matching hosts are added to the latest state of the draft.
  const latest = useLatest(props)
  const find = (): void => {
    setSaid('')
    see(
      () => request(MATCHING, { query }),
      ({ fleet }) => {
        const { known, onAdd } = latest.current
        const found = [...new Set(fleet.columns.names)]
        const fresh = found.filter((host) => !known.has(host))
        if (fresh.length > 0) onAdd(fresh)
        setSaid(`${formatCount(found.length)} ${found.length === 1 ? 'host matches' : 'hosts match'}; ${formatCount(fresh.length)} added.`)
      },
    )
  }
  return (
    <div>
      <Group align="end" gap="xs">
        <TextInput
          label="Add members by filter"
          description="The filter grammar of the Hosts page, for example az:az1 mem.free>=64GiB"
          style={{ flex: '1 1 320px' }}
          value={query}
          onChange={({ currentTarget: { value } }) => {
            setQuery(value)
            setSaid('')
            forget()
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && query.trim() !== '') find()
          }}
        />
        {/* an empty filter would match every host, so the button is disabled to prevent a mistake */}
        <Button variant="outline" loading={isBusy} disabled={query.trim() === ''} onClick={find}>
          Add matching hosts
        </Button>
      </Group>
      <Text size="xs" c="dimmed" role="status" data-added>
        {said}
      </Text>
      {problem === undefined ? null : <Problem error={problem} />}
    </div>
  )
}
