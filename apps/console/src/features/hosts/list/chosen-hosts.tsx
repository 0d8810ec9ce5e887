import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { handHosts } from '../../../lib/browser/handed-hosts.ts'
import { useScopes } from '../../../lib/service/scopes.ts'
import { WriteButton } from '../../../ui/dialog/write-button.tsx'
import { ChoiceBar } from '../../../ui/filter/choice-bar.tsx'
import type { Choice } from '../../../ui/filter/use-choice.ts'
import type { Fleet } from '../fleet.ts'

const route = getRouteApi('/hosts')

/** Loaded at the first use. */
const AddToAggregate = lazy(async () => ({ default: (await import('../actions/add-to-aggregate.tsx')).AddToAggregate }))
const SetStatus = lazy(async () => ({ default: (await import('../actions/set-status.tsx')).SetStatus }))

interface ChosenHostsProps {
  readonly fleet: Fleet
  /** The selected hosts, by their ordinals. */
  readonly choice: Choice<number>
  /** The rows of the list. */
  readonly ordinals: Uint32Array
}

/** The actions on the selected hosts. */
export function ChosenHosts({ fleet: { store }, choice, ordinals }: ChosenHostsProps) {
  const { may } = useScopes()
  const [isSetting, setSetting] = useState(false)
  const [isAdding, setAdding] = useState(false)
  const navigate = route.useNavigate()
  // An aggregate contains host names, each with all its nodes. So several selected nodes of a host give one name.
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
            hosts={[...choice.items.values()].map((ordinal) => ({
              host: store.nameOf(ordinal),
              node: store.nodeOf(ordinal),
              hasOtherNodes: store.hasOtherNodes(ordinal),
            }))}
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
