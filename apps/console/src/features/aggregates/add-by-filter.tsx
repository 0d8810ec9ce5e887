import { Button, Group, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { request } from '../../lib/api.ts'
import { formatCount } from '../../lib/format.ts'
import { Problem } from '../../ui/problem.tsx'
import { MATCHING } from './documents.ts'

interface AddByFilterProps {
  /** Those that are members, or will be. */
  readonly known: ReadonlySet<string>
  onAdd(hosts: readonly string[]): void
}

/** Hosts found by a line of the filter grammar, added to the draft as names: what matches later is no member by that. */
export function AddByFilter({ known, onAdd }: AddByFilterProps) {
  const [query, setQuery] = useState('')
  const [said, setSaid] = useState('')
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const find = (): void => {
    setBusy(true)
    setError(undefined)
    setSaid('')
    request(MATCHING, { query })
      .then(({ fleet }) => {
        const found = [...new Set(fleet.columns.names)]
        const fresh = found.filter((host) => !known.has(host))
        if (fresh.length > 0) onAdd(fresh)
        setSaid(`${formatCount(found.length)} ${found.length === 1 ? 'host matches' : 'hosts match'}; ${formatCount(fresh.length)} added.`)
      }, setError)
      .finally(() => setBusy(false))
  }
  return (
    <div>
      <Group align="end" gap="xs">
        <TextInput
          label="Members by a filter"
          description="The grammar of the page Hosts: az:az1 mem.free>=64GiB"
          style={{ flex: '1 1 320px' }}
          value={query}
          onChange={({ currentTarget: { value } }) => {
            setQuery(value)
            setSaid('')
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && query.trim() !== '') find()
          }}
        />
        {/* an empty line is every host: that is not added by a slip */}
        <Button variant="outline" loading={isBusy} disabled={query.trim() === ''} onClick={find}>
          Add those that match
        </Button>
      </Group>
      <Text size="xs" c="dimmed" role="status" data-added>
        {said}
      </Text>
      {error === undefined ? null : <Problem error={error} />}
    </div>
  )
}
