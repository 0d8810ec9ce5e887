import { Alert, Button, Group, NativeSelect } from '@mantine/core'
import { pageAction } from '../../../lib/browser/page-actions.ts'
import { useOperation } from '../../../lib/service/api.ts'
import { Problem } from '../../../ui/problem.tsx'
import { NOW, PROFILES } from '../documents.ts'

/** The profile (name or name@number) and the revision of the fleet for the replay. If undefined, the replay uses those of the decision. */
export interface Replayed {
  readonly by: string | undefined
  readonly on: string | undefined
}

interface ReplayByProps extends Replayed {
  /** The profile that decided, name@number. Undefined if the service no longer has it. */
  readonly recorded: string | undefined
  onAsk(replayed: Replayed): void
}

/** Replays the request with another profile or on the present fleet. The rest of the page then shows the result of this replay. */
export function ReplayBy({ recorded, by, on, onAsk }: ReplayByProps) {
  const { data } = useOperation(PROFILES, {}, { staleMs: 60_000 })
  const now = useOperation(NOW, {}, { enabled: false })
  const names = (data?.profiles ?? []).flatMap(({ name, versions }) => versions.nodes.map(({ number }) => `${name}@${number}`))
  const others = [...new Set([...names, ...(by === undefined ? [] : [by])])].filter((name) => name !== recorded)
  const replayNow = async (): Promise<void> => {
    const { data: found } = await now.refetch()
    if (found !== undefined) onAsk({ by, on: found.health.revision })
  }
  return (
    <>
      <Group gap="xs" align="flex-end">
        <NativeSelect
          size="xs"
          label="Replay with profile"
          value={by ?? ''}
          data={[
            { value: '', label: `${recorded ?? 'the profile of the decision'}, as it was` },
            ...others.map((value) => ({ value, label: value })),
          ]}
          onChange={({ currentTarget: { value } }) => onAsk({ by: value === '' ? undefined : value, on })}
        />
        <Button {...pageAction} size="xs" variant="outline" loading={now.isFetching} onClick={() => void replayNow()}>
          Replay now
        </Button>
      </Group>
      {now.error ? <Problem error={now.error} onRetry={() => void replayNow()} /> : null}
      {by === undefined && on === undefined ? null : (
        <Alert
          color="blue"
          role="status"
          title={`This is what ${by ?? recorded ?? 'the same profile'} would ${on === undefined ? 'have done' : `do on the fleet of revision ${on}`}`}
          withCloseButton
          onClose={() => onAsk({ by: undefined, on: undefined })}
          closeButtonLabel="Back to the recorded decision"
        >
          The same request was decided on {on === undefined ? 'the same' : 'that'} fleet without being recorded. The sentence, filters,
          hosts and weights below are of{' '}
          {on === undefined ? 'this profile' : 'that fleet, in which the claims of the decision itself also hold resources'}. The facts, the
          receipt and the destinations are still those of the decision.
        </Alert>
      )}
    </>
  )
}
