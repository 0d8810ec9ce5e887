import { Alert, Group, NativeSelect } from '@mantine/core'
import { useOperation } from '../../lib/api.ts'
import { PROFILES } from './documents.ts'

interface ReplayByProps {
  /** Who decided, name@number; undefined where the service does not know it any more. */
  readonly recorded: string | undefined
  /** Who is asked instead, name or name@number. */
  readonly by: string | undefined
  onAsk(by: string | undefined): void
}

/** Asks the same request, on the same fleet, of another profile: all that stands below is then of that one. */
export function ReplayBy({ recorded, by, onAsk }: ReplayByProps) {
  const { data } = useOperation(PROFILES, {}, { staleMs: 60_000 })
  const names = (data?.profiles ?? []).flatMap(({ name, versions }) => versions.nodes.map(({ number }) => `${name}@${number}`))
  const others = [...new Set([...names, ...(by === undefined ? [] : [by])])].filter((name) => name !== recorded)
  return (
    <>
      <Group gap="xs">
        <NativeSelect
          size="xs"
          label="Asked of profile"
          value={by ?? ''}
          data={[
            { value: '', label: `${recorded ?? 'the one that decided'}, as it was` },
            ...others.map((value) => ({ value, label: value })),
          ]}
          onChange={({ currentTarget: { value } }) => onAsk(value === '' ? undefined : value)}
        />
      </Group>
      {by === undefined ? null : (
        <Alert
          color="blue"
          role="status"
          title={`This is what ${by} would have done`}
          withCloseButton
          onClose={() => onAsk(undefined)}
          closeButtonLabel="Back to what was decided"
        >
          The same request on the same fleet, and nothing was decided by it: sentence, filters, hosts and weights below are of this profile.
          The facts, the receipt and where it went stay those of the decision.
        </Alert>
      )}
    </>
  )
}
