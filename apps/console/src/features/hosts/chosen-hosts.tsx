import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { handHosts } from '../../lib/handed-hosts.ts'
import { useScopes } from '../../lib/scopes.ts'
import { ChoiceBar } from '../../ui/choice-bar.tsx'
import type { Choice } from '../../ui/use-choice.ts'
import { WriteButton } from '../../ui/write-button.tsx'
import type { Fleet } from './fleet.ts'

const route = getRouteApi('/hosts')

/** Loaded when they are first asked for. */
const AddToAggregate = lazy(async () => ({ default: (await import('./add-to-aggregate.tsx')).AddToAggregate }))
const SetStatus = lazy(async () => ({ default: (await import('./set-status.tsx')).SetStatus }))

interface ChosenHostsProps {
  readonly fleet: Fleet
  /** The selected hosts, by their ordinals. */
  readonly choice: Choice<number>
  /** The rows of the list. */
  readonly ordinals: Uint32Array
}

/** What can be done with the hosts that were chosen. */
export function ChosenHosts({ fleet: { store }, choice, ordinals }: ChosenHostsProps) {
  const { may } = useScopes()
  const [isSetting, setSetting] = useState(false)
  const [isAdding, setAdding] = useState(false)
  const navigate = route.useNavigate()
  // by name: an aggregate holds hosts with all their nodes
  const namesChosen = (): readonly string[] => [...new Set(Array.from(choice.items.values(), (ordinal) => store.nameOf(ordinal)))]
  return (
    <>
      <ChoiceBar choice={choice} found={ordinals.length} onChooseAll={() => choice.choose(ordinals)}>
        {may('OPERATE') === true ? (
          <>
            <WriteButton size="compact-sm" onClick={() => setSetting(true)}>
              Set status ...
            </WriteButton>
            <WriteButton size="compact-sm" onClick={() => setAdding(true)}>
              Add to an aggregate ...
            </WriteButton>
          </>
        ) : null}
      </ChoiceBar>
      <Suspense fallback={null}>
        {isSetting ? (
          <SetStatus
            hosts={[...choice.items.values()].map((ordinal) => ({ host: store.nameOf(ordinal), node: store.nodeOf(ordinal) }))}
            onClose={() => setSetting(false)}
            onDone={() => {
              setSetting(false)
              choice.clear()
            }}
          />
        ) : null}
        {isAdding ? (
          <AddToAggregate
            hosts={namesChosen()}
            onChoose={(uuid) => {
              handHosts(uuid, namesChosen())
              void navigate({ to: '/aggregates/$uuid', params: { uuid }, search: { edit: 'yes' } })
            }}
            onClose={() => setAdding(false)}
          />
        ) : null}
      </Suspense>
    </>
  )
}
